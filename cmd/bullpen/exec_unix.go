//go:build unix

package main

import (
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownSession starts the command in its own session, with its standard output as the controlling
// terminal.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
}

// signals delivers the signals caught while a command runs.
type signals struct{ caught chan os.Signal }

// catchSignals catches signals for the command. Signals that were ignored at the start stay
// ignored, in the command too. SIGPIPE is caught so that it becomes a write error in this process;
// the command receives its own SIGPIPE.
func catchSignals() *signals {
	s := &signals{caught: make(chan os.Signal, 16)}
	for _, sig := range slices.Concat([]os.Signal{unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGHUP, unix.SIGUSR1, unix.SIGUSR2, unix.SIGWINCH, unix.SIGPIPE}, suspendSignals) {
		if !signal.Ignored(sig) {
			signal.Notify(s.caught, sig)
		}
	}
	return s
}

func (s *signals) stop() {
	signal.Stop(s.caught)
	close(s.caught)
}

// relay forwards signals to the command. Ctrl-C in a shared terminal is not forwarded: it has
// already reached the command, and many programs treat a second Ctrl-C differently.
func (s *signals) relay(p *os.Process, at *streams) {
	for sig := range s.caught {
		switch {
		case sig == unix.SIGPIPE:
		case slices.Contains(suspendSignals, sig):
			s.suspend(p, at, unix.Getpid())
		case sig == unix.SIGWINCH:
			if at.terminal != nil {
				copySize(at.terminal, at.size)
			}
		case at.terminal == nil && slices.Contains([]os.Signal{unix.SIGINT, unix.SIGQUIT}, sig) && inForeground():
		default:
			_ = p.Signal(sig)
		}
	}
}

// inForeground reports whether our process group, which includes the command, is in the foreground
// of the terminal.
func inForeground() bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDONLY|unix.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// exitCode returns the command's exit code, or 128 plus the number of the signal that ended it, as
// in a shell.
func exitCode(p *os.ProcessState) int {
	if status, ok := p.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return exitSignal + int(status.Signal())
	}
	return p.ExitCode()
}
