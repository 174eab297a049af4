// Package watch lets sessions of Claude Code into the office: through the hook
// door, and by reading the transcripts that they leave on disk.
//
// It guarantees: a hook is answered within contracts.HookAnswer, recorded or not
// yet, so that an agent is never slowed; hooks and rows of one session are taken in
// order; what both show is one fact; what a full queue lost is read from the
// transcript; every start has its end in the end. A permission request waits for a
// person, and no answer allows anything that a person did not allow.
//
// It reads files of Claude Code and never writes one.
package watch
