//go:build !linux

package watch

import (
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/intake"
)

// IsProcess reports whether the process is alive; on this system, its program cannot be checked.
func IsProcess(_ guest.Vendor, pid int, started int64) bool {
	return intake.ProcessAlive(pid, started)
}

// ProcessWorkdir returns "": this system does not report the working directory of a process.
func ProcessWorkdir(guest.Vendor, int, int64) string { return "" }
