package hub

import (
	"errors"
	"os"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// fail closes the connection with a code: the close frame is sent after what was
// promised already, then the reader waits a moment for the peer's goodbye.
func (s *session) fail(code contracts.CloseCode, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failLocked(code, reason)
}

// finish closes the connection of a stopping server once the reader has answered the
// commands that have arrived, for at most CloseGrace.
func (s *session) finish() {
	now := time.Now()
	s.stops.Store(now.Add(contracts.CloseGrace).UnixMilli())
	if !s.closing.Load() {
		_ = s.conn.SetReadDeadline(now.Add(contracts.LastWords))
	}
}

func (s *session) failLocked(code contracts.CloseCode, reason string) {
	if s.closing.Load() {
		return
	}
	s.hub.metrics.closed(code)
	s.hub.logger.Debug("connection closed", "session", s.suffix, "code", int(code), "reason", reason)
	s.goodbyeLocked(closeFrame(code, reason))
}

// echo answers the peer's close frame.
func (s *session) echo(code contracts.CloseCode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closing.Load() {
		s.goodbyeLocked(closeFrame(code, ""))
	}
}

// goodbyeLocked writes a close frame as the last thing on this connection.
func (s *session) goodbyeLocked(frame []byte) {
	s.goodbye = frame
	s.closing.Store(true)
	now := time.Now()
	_ = s.conn.SetReadDeadline(now.Add(contracts.CloseGrace))
	if s.slow || s.raw == nil {
		_ = s.conn.SetWriteDeadline(now.Add(contracts.CloseGrace))
		s.startWriter()
		return
	}
	w := pens.Get().(*pen)
	defer pens.Put(w)
	// What the socket does not take now is lost with it.
	_, _ = w.raw.write(s.raw, append(s.private, s.goodbye))
	s.private, s.goodbye = nil, nil
}

// breakLocked gives a connection up that cannot be written; the reader ends it.
func (s *session) breakLocked() {
	s.broken = true
	s.closing.Store(true)
	_ = s.conn.SetReadDeadline(time.Unix(1, 0))
}

// cutSilent ends a peer that did not answer the goodbye in time: the kernel
// forgets what it did not take, else megabytes would trickle to it for minutes.
func (s *session) cutSilent(err error) {
	c, ok := s.conn.(interface{ SetLinger(int) error })
	if ok && errors.Is(err, os.ErrDeadlineExceeded) {
		_ = c.SetLinger(0)
	}
}
