//go:build !linux

package watch

import "github.com/bullpen-office/bullpen/intake"

// IsProcess reports whether a process with the pid exists; its program is not checked on this
// system.
func IsProcess(pid int, started int64) bool { return intake.ProcessAlive(pid, started) }

// ProcessWorkdir is empty: this system does not report it.
func ProcessWorkdir(int, int64) string { return "" }
