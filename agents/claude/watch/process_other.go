//go:build !linux

package watch

import "github.com/bullpen-office/bullpen/intake"

// IsProcess reports whether there is a process with the pid: what it runs is not checked
// on this system.
func IsProcess(pid int, started int64) bool { return intake.ProcessAlive(pid, started) }

// ProcessWorkdir is empty: this system does not tell where a process works.
func ProcessWorkdir(int, int64) string { return "" }
