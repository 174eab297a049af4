// Package codex supports Codex: it drives Codex's app-server, installs hooks, watches the sessions
// that people run, and finds Codex on this machine.
//
// A driven turn reports thinking, tool calls and text as they happen, asks a person when Codex asks
// for approval, and can be interrupted without losing the thread. A request for approval is refused
// unless a person or a rule of the office allows it. If the process has exited, the next turn
// restarts it and resumes the thread. Closing a session leaves nothing running.
package codex
