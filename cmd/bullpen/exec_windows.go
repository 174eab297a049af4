package main

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

func ownSession(*exec.Cmd) {}

// signals delivers the signals caught while a command runs.
type signals struct{ caught chan os.Signal }

func catchSignals() *signals {
	s := &signals{caught: make(chan os.Signal, 16)}
	signal.Notify(s.caught, os.Interrupt, syscall.SIGTERM)
	return s
}

func (s *signals) stop() {
	signal.Stop(s.caught)
	close(s.caught)
}

// relay kills the command on SIGTERM. Ctrl-C already reaches every process in the console.
func (s *signals) relay(p *os.Process, _ *streams) {
	for sig := range s.caught {
		if sig == syscall.SIGTERM {
			_ = p.Kill()
		}
	}
}

func exitCode(p *os.ProcessState) int { return p.ExitCode() }
