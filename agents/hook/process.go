package hook

import "strings"

// shells lists programs that may run between an agent's process and its hooks.
var shells = map[string]bool{
	"sh": true, "bash": true, "dash": true, "zsh": true, "ksh": true, "fish": true, "ash": true, "busybox": true, "env": true,
}

// limitAncestors is the maximum number of a hook's ancestors to check.
const limitAncestors = 8

// process is an entry in the system's process table.
type process struct {
	name    string
	parent  int
	started int64 // start time in the system's own ticks; together with the pid, it identifies a process
}

// FindAgent returns the process that runs a hook: the first of pid and its ancestors that is not a
// shell. ok is false if there is none or the system does not report processes.
func FindAgent(pid int) (agent int, started int64, ok bool) {
	for range limitAncestors {
		p, found := readProcess(pid)
		if !found || pid <= 1 {
			return 0, 0, false
		}
		if !shells[strings.TrimPrefix(p.name, "-")] {
			return pid, p.started, true
		}
		pid = p.parent
	}
	return 0, 0, false
}
