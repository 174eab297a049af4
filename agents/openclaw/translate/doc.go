// Package translate reads the protocol of OpenClaw gateways (version 4): runs, thinking, tool
// calls, messages, sessions and approvals become activity, agents and evidence.
//
// It is pure: a Reader receives frames and the time, and returns findings in the order in which
// they must be recorded. For the same run, live events and `chat.history` produce facts with the
// same ids, so that each fact is recorded once. A turn has the id of its run, never the key that a
// client sent. No input makes a Reader panic, and the limits of package contracts bound its memory
// use. Handling an end event a second time has no effect, which matters because gateways send end
// events twice.
package translate
