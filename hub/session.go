package hub

import (
	"crypto/rand"
	"errors"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
)

// session is one viewer on the world socket. One goroutine reads and answers messages. Data for the
// viewer is written by a shard, by that goroutine after a reply, or, while the viewer lags, by the
// session's own writer.
type session struct {
	// Fields that a shard reads for every session during every flush are kept together.
	hub          *Hub
	raw          syscall.RawConn // if nil, the session always uses its own writer
	closing      atomic.Bool
	stopDeadline atomic.Int64 // deadline for accepting commands, in Unix ms; 0 unless the server is stopping
	mu           sync.Mutex
	outbox
	writer

	conn       net.Conn
	shard      *shard
	connection connection
	principal  contracts.Principal
	suffix     string // random part of the session id and of the player id

	// Only the reader uses these fields.
	in      frameReader
	opened  time.Time
	greeted bool
	caller  contracts.Caller
	resume  *resumePlan
	rates   rates
	made    uint64 // number of ids created for private messages
}

func newSession(h *Hub, conn net.Conn, early []byte, p contracts.Principal) *session {
	s := &session{hub: h, conn: conn, raw: rawConn(conn), principal: p, opened: time.Now()}
	s.suffix = newSuffix()
	s.in = frameReader{conn: conn, limit: h.limits.FrameBytes, early: early}
	s.connection = connection{principal: p.ID, close: s.fail, finish: s.finish, abort: func() { conn.Close() }}
	return s
}

// newSuffix returns the unique part of an id.
func newSuffix() string { return "s" + strings.ToLower(rand.Text()[:15]) }

func (s *session) id() string       { return string(contracts.PrefixSession) + "_" + s.suffix }
func (s *session) playerID() string { return string(contracts.PrefixPlayer) + "_" + s.suffix }

// messageID returns a new id for a private message.
func (s *session) messageID(prefix string) string {
	s.made++
	return prefix + "_" + s.suffix + "_" + strconv.FormatUint(s.made, 10)
}

// run reads until the connection ends, then cleans up.
func (s *session) run() {
	defer s.hub.registry.work.Done()
	defer s.end()
	for {
		err := s.readOne()
		if err == nil {
			continue
		}
		var ce *closeError
		switch {
		case errors.As(err, &ce) && ce.peer:
			s.echo(ce.code)
			s.writing.Wait()
			return
		case errors.As(err, &ce):
			s.fail(ce.code, ce.reason)
			s.discard()
			return
		case errors.Is(err, os.ErrDeadlineExceeded) && !s.closing.Load():
			s.timeout()
		default:
			s.resetUnresponsive(err)
			return
		}
	}
}

// readOne reads a message and answers it. Once the session is closing, it only waits for the peer's
// close frame.
func (s *session) readOne() error {
	msg, err := s.in.message(s.arm, s.onControl)
	defer func() { s.in.release(msg) }()
	if err == nil && !s.closing.Load() {
		s.onMessage(msg)
		if deadline := s.stopDeadline.Load(); deadline != 0 && time.Now().UnixMilli() >= deadline {
			s.fail(contracts.CloseGoingAway, goingAway)
		}
	}
	return err
}

// arm sets the deadline for the next frame.
func (s *session) arm() {
	until := s.opened.Add(s.hub.limits.HelloTimeout)
	if s.greeted {
		until = time.Now().Add(s.hub.limits.HeartbeatTimeout)
	}
	_ = s.conn.SetReadDeadline(until)
	// Do not extend the shorter deadlines that finish and fail set.
	if s.stopDeadline.Load() != 0 {
		_ = s.conn.SetReadDeadline(time.Now().Add(contracts.ShutdownSilence))
	}
	if s.closing.Load() {
		_ = s.conn.SetReadDeadline(time.Now().Add(contracts.CloseGrace))
	}
}

func (s *session) timeout() {
	switch {
	case s.stopDeadline.Load() != 0:
		s.fail(contracts.CloseGoingAway, goingAway)
	case s.greeted:
		s.fail(contracts.CloseHeartbeat, "no message within "+s.hub.limits.HeartbeatTimeout.String())
	default:
		s.fail(contracts.CloseHelloTimeout, "no hello within "+s.hub.limits.HelloTimeout.String())
	}
}

// onControl answers WebSocket pings. Pings and pongs count as messages for the rate limit.
func (s *session) onControl(op ws.OpCode, payload []byte) {
	if _, ok := s.rates.inbound.use(time.Now(), contracts.InboundPerSecond, contracts.InboundPerSecond); !ok {
		s.countViolation()
		return
	}
	if op == ws.OpPing {
		s.send(controlFrame(ws.OpPong, payload))
	}
}

// discard reads the bytes that are still in transit. Otherwise, closing would reset the connection,
// and the peer might never read the close frame.
func (s *session) discard() {
	if c, ok := s.conn.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite()
	}
	for {
		if _, err := s.conn.Read(s.in.small[:]); err != nil {
			s.resetUnresponsive(err)
			return
		}
	}
}

// end releases everything that the session holds.
func (s *session) end() {
	s.mu.Lock()
	s.closing.Store(true)
	s.pokeWriter()
	s.pendingSnapshot, s.base = nil, nil
	if s.mode != snapshotsOff {
		s.hub.snapViewers.Add(-1)
		s.mode = snapshotsOff
	}
	s.watchStreams(false)
	s.mu.Unlock()
	s.conn.Close()
	s.shard.sessionEnded()
	s.hub.registry.remove(&s.connection)
	if s.greeted {
		s.hub.office.PlayerLeft(s.playerID())
	}
}
