package process

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of every descendant whose parent exits, so that none escapes
// by leaving the process group. reap releases the process ids of descendants that have exited, and
// never returns. end kills the remaining descendants after the program has exited.
func adopt() (reap func(program int), end func()) {
	if unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != nil {
		return func(int) {}, func() {} // an old kernel: only the group is ended
	}
	exited := make(chan os.Signal, 1)
	signal.Notify(exited, syscall.SIGCHLD)
	return func(program int) {
		for range exited {
			for _, pid := range children() {
				if pid != program { // the program's exit code is still needed
					_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
				}
			}
			time.Sleep(reapInterval)
		}
	}, endChildren
}

// reapInterval limits how often a tender's children are listed.
const reapInterval = time.Second

// endChildren kills the children of this process, including descendants that are reparented to it,
// until none are left or tendGrace has passed.
func endChildren() {
	for deadline := time.Now().Add(tendGrace); time.Now().Before(deadline); time.Sleep(killPoll) {
		list := children()
		if len(list) == 0 {
			return
		}
		for _, pid := range list {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		for {
			if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != nil || pid <= 0 {
				break
			}
		}
	}
}

// children lists the processes whose parent is this process.
func children() (list []int) {
	self := os.Getpid()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		// The name in parentheses may contain anything; state and parent follow it.
		field := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(field) > 1 && field[1] == strconv.Itoa(self) {
			list = append(list, pid)
		}
	}
	return list
}
