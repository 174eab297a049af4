package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/bullpen-office/bullpen/intake"
)

// IsProcess reports whether a process is Claude Code, is alive and is owned by the office's user.
func IsProcess(pid int, started int64) bool {
	if pid <= 0 || !intake.ProcessAlive(pid, started) {
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
	args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && isClaude(program, strings.Split(strings.TrimRight(string(args), "\x00"), "\x00"))
}

// ProcessWorkdir returns the working directory of a Claude Code process; empty for any other
// process.
func ProcessWorkdir(pid int, started int64) string {
	if !IsProcess(pid, started) {
		return ""
	}
	dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil || !intake.ProcessAlive(pid, started) {
		return ""
	}
	return dir
}

// runtimes are the programs that can run Claude Code if it is installed as a script.
var runtimes = map[string]bool{"node": true, "nodejs": true, "bun": true, "deno": true}

// isClaude reports whether a program is Claude Code. It checks the executable, not the process
// name. The native installer installs Claude Code as claude/versions/VERSION.
func isClaude(program string, args []string) bool {
	program = strings.TrimSuffix(program, " (deleted)") // an update replaced the file
	dir, name := filepath.Split(program)
	if runtimes[name] {
		for _, arg := range args[min(1, len(args)):] {
			if strings.HasPrefix(arg, "-") {
				continue
			}
			return strings.Contains(strings.ToLower(arg), "claude") // the script
		}
		return false
	}
	return strings.Contains(strings.ToLower(name), "claude") || strings.HasSuffix(dir, "/claude/versions/")
}
