package hub

import (
	"errors"
	"os"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// fail closes the connection with a code. The close frame is sent after all frames that are already
// queued. Then the reader waits briefly for the peer's close frame.
func (s *session) fail(code contracts.CloseCode, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failLocked(code, reason)
}

// finish closes the connection because the server is stopping. The reader first answers the
// commands that have arrived, for at most CloseGrace.
func (s *session) finish() {
	now := time.Now()
	s.stopDeadline.Store(now.Add(contracts.CloseGrace).UnixMilli())
	if !s.closing.Load() {
		_ = s.conn.SetReadDeadline(now.Add(contracts.ShutdownSilence))
	}
}

func (s *session) failLocked(code contracts.CloseCode, reason string) {
	if s.closing.Load() {
		return
	}
	s.hub.metrics.closed(code)
	s.hub.logger.Debug("connection closed", "session", s.suffix, "code", int(code), "reason", reason)
	s.sendCloseLocked(closeFrame(code, reason))
}

func (s *session) echo(code contracts.CloseCode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closing.Load() {
		s.sendCloseLocked(closeFrame(code, ""))
	}
}

// sendCloseLocked sends a close frame as the connection's last frame.
func (s *session) sendCloseLocked(frame []byte) {
	s.lastFrame = frame
	s.closing.Store(true)
	now := time.Now()
	_ = s.conn.SetReadDeadline(now.Add(contracts.CloseGrace))
	if s.slow || s.raw == nil {
		_ = s.conn.SetWriteDeadline(now.Add(contracts.CloseGrace))
		s.startWriter()
		return
	}
	w := writeScratches.Get().(*writeScratch)
	defer writeScratches.Put(w)
	// Bytes that the socket does not accept immediately are lost.
	_, _ = w.raw.write(s.raw, append(s.private, s.lastFrame))
	s.private, s.lastFrame = nil, nil
}

// breakLocked gives up on a connection that cannot be written to; the reader then ends it.
func (s *session) breakLocked() {
	s.broken = true
	s.closing.Store(true)
	_ = s.conn.SetReadDeadline(time.Unix(1, 0))
}

// resetUnresponsive makes a connection end with a reset if its peer did not answer the close frame in
// time. The kernel then drops unsent data; otherwise it could continue to send the data for minutes.
func (s *session) resetUnresponsive(err error) {
	c, ok := s.conn.(interface{ SetLinger(int) error })
	if ok && errors.Is(err, os.ErrDeadlineExceeded) {
		_ = c.SetLinger(0)
	}
}
