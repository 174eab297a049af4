// Package watch lets sessions of Claude Code join the office: through the hook door, and by reading
// their transcripts on disk.
//
// It guarantees: a hook is answered within contracts.HookAnswer, recorded or not yet, so that an
// agent is never slowed down; hooks and rows of one session are handled in order; what both show is
// one fact; what a full queue lost is read from the transcript; every start eventually has its end.
// A permission request waits for a person, and nothing is allowed that a person did not allow.
//
// It reads files of Claude Code and never writes one.
package watch
