// Package watch lets sessions of Claude Code join the office: through the hook door, and by reading
// their transcripts on disk.
//
// It guarantees: a hook is answered within contracts.HookAnswer, even if it is not recorded yet, so
// that an agent is never slowed down; hooks and rows of one session are handled in order; an event
// reported by both is one fact; hooks that a full queue drops are recovered from the transcript;
// every start eventually has an end. A permission request waits for a person, and nothing is allowed
// that a person did not allow.
//
// It reads files of Claude Code and never writes one.
package watch
