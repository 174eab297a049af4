package watch

import (
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/intake"
)

// IsProcess reports whether a process runs a vendor's program, is alive and is owned by the office's
// user.
func IsProcess(v guest.Vendor, pid int, started int64) bool {
	if v.IsProgram == nil || pid <= 0 || !intake.ProcessAlive(pid, started) {
		return false
	}
	info, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		return false
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Geteuid() {
		return false
	}
	program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return false
	}
	program = strings.TrimSuffix(program, " (deleted)") // an update replaced the file
	args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && v.IsProgram(program, strings.Split(strings.TrimRight(string(args), "\x00"), "\x00"))
}

// ProcessWorkdir returns the working directory of a process that runs a vendor's program; empty for
// any other process.
func ProcessWorkdir(v guest.Vendor, pid int, started int64) string {
	if !IsProcess(v, pid, started) {
		return ""
	}
	dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil || !intake.ProcessAlive(pid, started) {
		return ""
	}
	return dir
}
