//go:build linux || darwin

package main

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// suspendSignals are the signals that ask this process to suspend itself.
var suspendSignals = []os.Signal{unix.SIGTSTP}

// suspend stops the command and this process until SIGCONT, as Ctrl-Z does. pid is this process, or
// 0 for its process group.
func (s *signals) suspend(p *os.Process, at *streams, pid int) {
	at.mu.Lock()
	defer at.mu.Unlock()
	if at.ended || !continuable() {
		return
	}
	command := p.Pid
	switch {
	case at.terminal != nil: // SIGTSTP would have no effect in a session without a shell
		command = -p.Pid
		_ = unix.Kill(command, unix.SIGSTOP)
	case !inForeground(): // in the foreground, the terminal has already sent the command this signal
		_ = unix.Kill(command, unix.SIGTSTP)
	}
	at.release()
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	_ = unix.Kill(pid, unix.SIGSTOP)
	<-continued
	signal.Stop(continued)
	at.takeKeys()
	if at.terminal != nil {
		copySize(at.terminal, at.size)
	}
	_ = unix.Kill(command, unix.SIGCONT)
}

// continuable reports whether a shell controls our process group and can continue it. If not, the
// group must not be stopped. The kernel also ignores SIGTSTP in an orphaned group.
func continuable() bool {
	session, err := unix.Getsid(0)
	for pid := os.Getppid(); err == nil && pid > 0; pid = parentOf(pid) {
		if theirs, err := unix.Getsid(pid); err != nil || theirs != session {
			return false
		}
		if group, err := unix.Getpgid(pid); err == nil && group != unix.Getpgrp() {
			return true
		}
	}
	return false
}
