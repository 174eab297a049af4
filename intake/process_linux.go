package intake

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// ProcessAlive reports whether a process is alive. started, in clock ticks since boot,
// distinguishes it from a later process with the same pid; 0 means unknown. A zombie is not alive.
// A process counts as alive if it cannot be checked, for example because too many files are open.
func ProcessAlive(pid int, started int64) bool {
	ticks, err := processStat(pid)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ESRCH):
		return false
	case err != nil:
		return true
	}
	return started == 0 || ticks == started
}

// ProcessStarted returns the start time of a process, in the form that ProcessAlive expects; ok is
// false if the process is not alive.
func ProcessStarted(pid int) (ticks int64, ok bool) {
	ticks, err := processStat(pid)
	return ticks, err == nil
}

// processStat returns the start time of a live process.
func processStat(pid int) (ticks int64, err error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The program's name is in parentheses and may contain anything: after the last
	// parenthesis come the state and, as the 20th field, the start time.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return 0, fmt.Errorf("process %d: unexpected format in /proc/%[1]d/stat", pid)
	}
	if state := fields[0][0]; state == 'Z' || state == 'X' {
		return 0, syscall.ESRCH
	}
	return strconv.ParseInt(string(fields[19]), 10, 64)
}
