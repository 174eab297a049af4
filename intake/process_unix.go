//go:build unix && !linux

package intake

import (
	"errors"

	"golang.org/x/sys/unix"
)

// ProcessAlive reports whether a process with this pid exists. This system does not report start
// times, so a later process with the same pid counts as the same process.
func ProcessAlive(pid int, _ int64) bool {
	if pid <= 0 {
		return false
	}
	err := unix.Kill(pid, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}

// ProcessStarted returns 0 (unknown) for a live process; ok is false if the process is not alive.
func ProcessStarted(pid int) (ticks int64, ok bool) { return 0, ProcessAlive(pid, 0) }
