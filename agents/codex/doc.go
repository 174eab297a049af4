// Package codex supports Codex: it installs its hooks, watches the sessions that people run, and
// finds it on this machine.
package codex
