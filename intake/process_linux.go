package intake

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// ProcessAlive reports whether a process lives. Started, in clock ticks since the
// system started, tells it from a later process with the same pid; 0 means unknown.
// A process that has ended and waits to be collected does not live; one that
// cannot be looked at (too many open files) is not called dead.
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

// ProcessStarted is when a living process started, for ProcessAlive.
func ProcessStarted(pid int) (ticks int64, ok bool) {
	ticks, err := processStat(pid)
	return ticks, err == nil
}

// processStat reads the start time of a living process.
func processStat(pid int) (ticks int64, err error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name of the program stands in parentheses and may contain anything: what
	// follows the last one is the state, and as the 20th field the start time.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return 0, fmt.Errorf("process %d: /proc has a form that is not known here", pid)
	}
	if state := fields[0][0]; state == 'Z' || state == 'X' {
		return 0, syscall.ESRCH
	}
	return strconv.ParseInt(string(fields[19]), 10, 64)
}

// ClaudeProcess reports whether a living process is Claude Code, run by the user that runs
// the office.
func ClaudeProcess(pid int, started int64) bool {
	if pid <= 0 || !ProcessAlive(pid, started) {
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

// ClaudeWorkdir is the working directory of a Claude Code process; empty for any other
// process.
func ClaudeWorkdir(pid int, started int64) string {
	if !ClaudeProcess(pid, started) {
		return ""
	}
	dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil || !ProcessAlive(pid, started) {
		return ""
	}
	return dir
}

// runtimes run Claude Code where it is installed as a script.
var runtimes = map[string]bool{"node": true, "nodejs": true, "bun": true, "deno": true}

// isClaude judges a program by its file, not by the name that it gives itself. The native
// installer keeps Claude Code as claude/versions/VERSION.
func isClaude(program string, args []string) bool {
	program = strings.TrimSuffix(program, " (deleted)") // an update replaced it
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
