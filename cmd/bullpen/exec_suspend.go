//go:build linux || darwin

package main

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// suspendSignals ask this process to stop.
var suspendSignals = []os.Signal{unix.SIGTSTP}

// suspend stops the command and this process, as Ctrl-Z does, until SIGCONT. pid is this
// process, or 0 for its process group.
func (s *signals) suspend(p *os.Process, at *streams, pid int) {
	at.mu.Lock()
	defer at.mu.Unlock()
	if at.ended || !continuable() {
		return
	}
	command := p.Pid
	switch {
	case at.terminal != nil: // its own terminal does not stop it: nothing in its session could continue it
		command = -p.Pid
		_ = unix.Kill(command, unix.SIGSTOP)
	case !inForeground(): // otherwise it received the same signal
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

// continuable reports whether a shell controls our process group. Terminals never stop an
// orphaned group either.
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
