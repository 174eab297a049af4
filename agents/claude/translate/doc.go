// Package translate turns hook bodies and transcript rows of Claude Code into activity, evidence
// and usage.
//
// A fact has the same id however it was seen: ids are derived from the session, the kind of fact
// and the provider's own name for it (tool_use_id, prompt id). So a session seen by hooks, by its
// transcript or by both, in any order, gives the same facts. Calls are paired only by tool_use_id.
//
// It is pure: time is passed in, nothing is read and nothing is sent. Every input may be hostile;
// an unknown event only shows that the session is alive.
package translate
