// Package translate turns Claude Code's hook bodies and transcript rows into activity, evidence and
// usage.
//
// A fact has the same id whether a hook or the transcript reports it: ids are derived from the
// session, the kind of fact and Claude Code's own id (tool_use_id, prompt id). Hooks, the
// transcript or both, in any order, therefore result in the same facts. The start and end of a call
// are paired only by tool_use_id.
//
// It is pure: time is passed in, nothing is read and nothing is sent. Every input may be hostile;
// an unknown event only shows that the session is alive.
package translate
