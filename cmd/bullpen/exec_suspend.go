//go:build linux || darwin

package main

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// suspendSignals ask us to stop.
var suspendSignals = []os.Signal{unix.SIGTSTP}

// suspend stops the command and us, as Ctrl-Z does, until somebody continues us.
// whom is our process, or 0 for everybody in its group.
func (s *signals) suspend(p *os.Process, at *streams, whom int) {
	at.mu.Lock()
	defer at.mu.Unlock()
	if at.ended || !continuable() {
		return
	}
	command := p.Pid
	switch {
	case at.terminal != nil: // its own terminal does not stop it: nobody in its session could continue it
		command = -p.Pid
		_ = unix.Kill(command, unix.SIGSTOP)
	case !inForeground(): // else it has got the same signal
		_ = unix.Kill(command, unix.SIGTSTP)
	}
	at.release()
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	_ = unix.Kill(whom, unix.SIGSTOP)
	<-continued
	signal.Stop(continued)
	at.takeKeys()
	if at.terminal != nil {
		copySize(at.terminal, at.size)
	}
	_ = unix.Kill(command, unix.SIGCONT)
}

// continuable reports whether a shell looks after our group: one that nobody could
// continue is never stopped by a terminal either.
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
