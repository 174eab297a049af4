// Package turn runs the turns of agents: one engine for callers of the bridge and for
// the crew, Driver → Conversation → Turn.
//
// It guarantees: one turn at a time per conversation, and a bounded queue; a retry joins
// the turn that it repeats; the start of a turn is durable before the agent hears of it,
// its end before any caller does; every start has its end and every stream its done,
// whatever the driver does; no turn begins or goes on once a budget is used up; nothing
// that needs a permission runs unless a person allowed it; a turn that is stopped, stalls
// or times out ends, also when its driver ignores that; a conversation is closed when it
// is idle, its credential ends with it, and it is resumed by the program's own id.
//
// It never decides who answers (Directory), what is asked (Request) or what the answer
// means.
package turn
