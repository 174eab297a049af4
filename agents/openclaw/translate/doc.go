// Package translate reads the protocol of OpenClaw gateways (version 4): runs, thinking, tool
// calls, messages, sessions and approvals become activity, agents and evidence.
//
// It is pure: a Reader gets frames and the time, and returns findings in the order they must be
// recorded. Live events and `chat.history` result in facts with the same ids for the same run, so
// that each fact is recorded once; a turn has the id of the run that started, never the key that a
// client sent. No input makes a Reader panic, and its memory is bounded by the limits of package
// contracts. Handling the same end twice changes nothing, which matters because gateways send ends
// twice.
package translate
