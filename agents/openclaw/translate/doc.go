// Package translate reads what an OpenClaw gateway says (protocol 4): runs,
// thinking, tool calls, messages, sessions and approvals become facts of
// activity, people and evidence.
//
// It is pure: a Reader gets frames and the time, and returns findings in the
// order in which they are to be told. The same run, seen live and in
// `chat.history`, gives facts with the same ids, so that reading twice records
// once; a turn is named after the run that began, never after the key that a
// client sent along. Nothing that a gateway sends makes it panic, and its memory
// is bounded by the limits of package contracts. Ends are idempotent: a gateway
// says them twice.
package translate
