// Package codex supports Codex. It installs Codex's hooks, watches the sessions that people run,
// and finds Codex on this machine.
package codex
