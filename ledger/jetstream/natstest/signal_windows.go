package natstest

// On Windows, Start skips the test, so these methods are never called.

// Kill is not implemented.
func (s *Server) Kill() {}

// Stop is not implemented.
func (s *Server) Stop() {}

// Pause is not implemented.
func (s *Server) Pause() {}

// Resume is not implemented.
func (s *Server) Resume() {}
