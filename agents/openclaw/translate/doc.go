// Package translate reads the protocol of OpenClaw gateways (version 4): runs, thinking, tool
// calls, messages, sessions and approvals become activity, agents and evidence.
//
// It is pure: a Reader gets frames and the time, and returns findings in the order in which they
// must be recorded. The same run, seen live and in `chat.history`, gives facts with the same ids,
// so that reading twice records once; a turn is named after the run that started, never after the
// key that a client sent. Nothing that a gateway sends makes it panic, and its memory is bounded by
// the limits of package contracts. Ends are idempotent: a gateway sends them twice.
package translate
