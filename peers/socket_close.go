package peers

import (
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"github.com/bullpen-office/bullpen/contracts"
)

// closed reports whether the connection is being ended.
func (s *socket) closed() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// close ends the connection once; the writer says goodbye.
func (s *socket) close(code contracts.CloseCode, reason string) {
	s.once.Do(func() {
		s.goodbye = ws.NewCloseFrame(ws.NewCloseFrameBody(ws.StatusCode(code), reason))
		s.listens = code != contracts.CloseGoingAway // who closes the office waits for nobody
		_ = s.conn.SetDeadline(time.Now().Add(contracts.CloseGrace))
		close(s.done)
	})
}

// leave writes what is still queued and the reason of the end, and lets the peer
// read it.
func (s *socket) leave() {
	defer s.conn.Close()
	if s.farewell() == nil && s.listens {
		s.drain()
	}
}

func (s *socket) farewell() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	_ = s.conn.SetWriteDeadline(time.Now().Add(contracts.CloseGrace)) // its time begins when it is said
	for {
		select {
		case body := <-s.out:
			if err := wsutil.WriteServerText(s.conn, body); err != nil {
				return err
			}
		default:
			return ws.WriteFrame(s.conn, s.goodbye)
		}
	}
}

// limitDrained is how much of a peer that was sent away is read and thrown away.
const limitDrained = 64 * contracts.LimitFrame

// drain reads what is still on its way until the peer closes, is silent, or goes on
// for too long: closing before would reset the connection and destroy the reason
// before the peer has read it.
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
