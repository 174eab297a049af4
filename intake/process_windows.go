package intake

import "golang.org/x/sys/windows"

// stillActive is the exit code of a process that has not ended.
const stillActive = 259

// ProcessAlive reports whether a process is alive. started, its creation time,
// distinguishes it from a later process with the same pid; 0 means unknown.
func ProcessAlive(pid int, started int64) bool {
	ticks, ok := ProcessStarted(pid)
	return ok && (started == 0 || ticks == 0 || ticks == started)
}

// ProcessStarted returns the creation time of a process, in the form that ProcessAlive expects; ok is
// false if the process is not alive.
func ProcessStarted(pid int) (ticks int64, ok bool) {
	if pid <= 0 {
		return 0, false
	}
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return 0, false
	}
	defer func() { _ = windows.CloseHandle(h) }()
	var code uint32
	if windows.GetExitCodeProcess(h, &code) != nil || code != stillActive {
		return 0, false
	}
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &created, &exited, &kernel, &user) != nil {
		return 0, true
	}
	return created.Nanoseconds(), true
}
