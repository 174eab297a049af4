//go:build unix

package natstest

import "syscall"

// Kill ends the server without giving it a chance to clean up.
func (s *Server) Kill() { s.end(syscall.SIGKILL) }

// Stop shuts the server down gracefully.
func (s *Server) Stop() { s.end(syscall.SIGTERM) }

func (s *Server) end(sig syscall.Signal) {
	s.process.Process.Signal(sig)
	if sig == syscall.SIGKILL {
		s.process.Process.Signal(syscall.SIGCONT)
	}
	<-s.ended
}

// Pause stops the process until Resume is called.
func (s *Server) Pause() { s.process.Process.Signal(syscall.SIGSTOP) }

// Resume continues a process that was paused.
func (s *Server) Resume() { s.process.Process.Signal(syscall.SIGCONT) }
