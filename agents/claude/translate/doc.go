// Package translate translates what Claude Code shows of itself, hook bodies and
// transcript rows, into facts of activity, evidence and usage.
//
// A fact has one id whichever way it was seen: ids follow from the session, the
// kind of fact and the provider's own name for it (tool_use_id, prompt id). So a
// session seen by hooks, by its transcript or by both, in any order, gives the
// same facts. Calls are paired by tool_use_id alone.
//
// It is pure: time is passed in, nothing is read and nothing is sent. Every input
// may be hostile; what is not understood says only that somebody is there.
package translate
