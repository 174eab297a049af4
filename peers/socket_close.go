package peers

import (
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"github.com/bullpen-office/bullpen/contracts"
)

// closed reports whether the connection is closing.
func (s *socket) closed() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// close starts closing the connection; the writer sends the close frame. Only the first call
// counts.
func (s *socket) close(code contracts.CloseCode, reason string) {
	s.once.Do(func() {
		s.closeFrame = ws.NewCloseFrame(ws.NewCloseFrameBody(ws.StatusCode(code), reason))
		s.drainOnClose = code != contracts.CloseGoingAway // do not wait for peers when the office closes
		_ = s.conn.SetDeadline(time.Now().Add(contracts.CloseGrace))
		close(s.done)
	})
}

// flushAndClose writes queued frames and the close frame, and gives the peer time to read them.
func (s *socket) flushAndClose() {
	defer s.conn.Close()
	if s.writeClose() == nil && s.drainOnClose {
		s.drain()
	}
}

func (s *socket) writeClose() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	_ = s.conn.SetWriteDeadline(time.Now().Add(contracts.CloseGrace)) // the grace period starts now
	for {
		select {
		case body := <-s.out:
			if err := wsutil.WriteServerText(s.conn, body); err != nil {
				return err
			}
		default:
			return ws.WriteFrame(s.conn, s.closeFrame)
		}
	}
}

// limitDrained limits how much is read from a disconnected peer and then discarded.
const limitDrained = 64 * contracts.LimitFrame

// drain reads until the peer closes, falls silent or sends too much. Closing earlier would reset
// the connection and lose the close reason.
func (s *socket) drain() {
	if c, ok := s.conn.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite()
	}
	var waste [4 << 10]byte
	end := time.Now().Add(contracts.WriteTimeout)
	for read := 0; read < limitDrained && time.Now().Before(end); {
		_ = s.conn.SetReadDeadline(time.Now().Add(contracts.CloseGrace))
		n, err := s.conn.Read(waste[:])
		if read += n; err != nil {
			return
		}
	}
}
