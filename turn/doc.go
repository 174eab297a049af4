// Package turn runs agent turns: Driver → Conversation → Turn.
//
// It guarantees: one turn at a time per conversation, and a bounded queue; a retry joins the turn
// that it repeats; the start of a turn is durable before the agent receives the prompt, and its end
// before a caller sees it, unless the office takes longer than RecordTimeout; every start gets an
// end and every stream a final delta, whatever the driver does; no turn starts or continues once a
// budget is exhausted; nothing that needs permission runs without it; a turn that is stopped,
// stalls or times out ends even if its driver ignores the stop; an idle conversation is closed and
// its credential is released, but the conversation can be resumed by the program's own id.
//
// It never decides who answers (Directory), what is asked (Request) or what the answer means.
package turn
