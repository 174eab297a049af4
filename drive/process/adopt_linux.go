package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of every descendant whose parent exits, so that none escapes
// by leaving the group. It returns a function that kills these descendants. Call it only after all
// children that this process waits for have exited.
func adopt() func() {
	if unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != nil {
		return func() {} // an old kernel: only the group is ended
	}
	return endChildren
}

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
