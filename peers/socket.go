package peers

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
	"golang.org/x/time/rate"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
)

// readAhead is the size of the read buffer. A short frame takes one read instead of three, and an
// idle peer costs little memory.
const readAhead = 512

// socket is one connection from an agent.
type socket struct {
	peers        *Peers
	conn         net.Conn
	holder       string // id of the credential; empty until a hello proves one
	number       uint64 // position in the order of connections; protected by peers.mu
	bound        string // the agent that the credential is bound to; empty means any
	out          chan []byte
	done         chan struct{}
	once         sync.Once
	closeFrame   ws.Frame // set before done is closed
	drainOnClose bool     // whether to wait until the peer has read the close frame; set before done is closed
	peer         *peer    // set by hello; used only by the reader

	flood   *rate.Limiter
	writing sync.Mutex // keeps frames whole: a pong must not interrupt another frame

	mu     sync.Mutex
	missed int // pings without a response
}

// ServeSocket accepts an agent on /bridge. The connection needs an agent's or an operator's token.
// On this machine, a program that the office started needs no token. If TrustLocal is set, no
// loopback connection needs a token.
func (p *Peers) ServeSocket(w http.ResponseWriter, r *http.Request) {
	who := gate.PrincipalFrom(r)
	local := who.ID == gate.LocalID
	switch {
	case who.Access == contracts.AccessAgent, who.Permit, local && p.cfg.TrustLocal:
	case local && p.cfg.Processes != nil && p.cfg.Processes.HasProcesses():
		who.ID = ""
	case who.Access != "" && !local:
		gate.Refuse(w, http.StatusForbidden, contracts.CodeNotAllowed,
			"a token with the role %s cannot claim an agent's session; use a token from `bullpen token create --role agent`", who.Access)
		return
	default:
		gate.Refuse(w, http.StatusUnauthorized, contracts.CodeNotAllowed,
			"a token is required to claim an agent's session; create one with `bullpen token create --role agent` and send it as `Authorization: Bearer TOKEN`")
		return
	}
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		gate.Refuse(w, http.StatusUpgradeRequired, contracts.CodeNotAllowed, "/bridge is a WebSocket endpoint; connect with a WebSocket client")
		return
	}
	conn, buffered, _, err := ws.HTTPUpgrader{Timeout: contracts.WriteTimeout}.Upgrade(r, w)
	if err != nil {
		if conn != nil {
			conn.Close()
		}
		return
	}
	s := &socket{peers: p, conn: conn, holder: who.ID, bound: who.AgentID, out: make(chan []byte, contracts.LimitPeerBacklog), done: make(chan struct{}),
		flood: rate.NewLimiter(contracts.LimitPeerFrames, 2*contracts.LimitPeerFrames)}
	if code, refusal := p.admit(s); refusal != "" {
		s.close(code, refusal)
		s.flushAndClose()
		return
	}
	var early []byte
	if n := buffered.Reader.Buffered(); n > 0 {
		b, _ := buffered.Reader.Peek(n)
		early = append(early, b...)
	}
	p.running.Go(s.write)
	p.running.Go(func() { s.read(bufio.NewReaderSize(io.MultiReader(strings.NewReader(string(early)), conn), readAhead)) })
}

// send queues a frame. It returns false if the connection is closing, or has just been closed
// because it is too slow.
func (s *socket) send(f *frame) bool {
	if s.closed() {
		return false
	}
	if s.queue(f) {
		return true
	}
	s.close(contracts.CloseSlowConsumer, "connection too slow: frames are not being read")
	return false
}

// answer queues the response to a frame. It disconnects a peer that sends faster than it reads
// responses.
func (s *socket) answer(f *frame) {
	if s.closed() || s.queue(f) {
		return
	}
	s.kick(contracts.CloseViolations, errFlood)
}

// kick closes the connection because of what the peer sent. The peer's turn ends first, because
// a peer that has read the close frame may reconnect immediately.
func (s *socket) kick(code contracts.CloseCode, why error) {
	if s.peer != nil {
		s.peer.failTurn(s, why)
	}
	s.close(code, why.Error())
}

func (s *socket) queue(f *frame) bool {
	select {
	case s.out <- f.encode():
		return true
	default:
		return false
	}
}

// write sends queued frames, and a ping at every interval.
func (s *socket) write() {
	defer s.flushAndClose()
	ping := time.NewTicker(s.peers.cfg.Ping)
	defer ping.Stop()
	for {
		var body []byte
		select {
		case <-s.done:
			return
		case body = <-s.out:
		case <-ping.C:
			if s.miss() > contracts.BridgeMisses {
				s.close(contracts.CloseHeartbeat, "no answer to two pings")
				return
			}
			body = []byte(`{"type":"ping"}`)
		}
		if err := s.deliver(body); err != nil {
			s.close(contracts.CloseGoingAway, "connection lost")
			s.conn.Close() // no close frame can follow a partial frame
			return
		}
	}
}

// deliver writes one frame within the write timeout. A closing connection keeps its shorter
// deadline.
func (s *socket) deliver(body []byte) error {
	if !s.closed() {
		_ = s.conn.SetWriteDeadline(time.Now().Add(contracts.WriteTimeout))
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	return wsutil.WriteServerText(s.conn, body)
}

// Write writes the response to a control frame. It never splits another frame.
func (s *socket) Write(frame []byte) (int, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.conn.Write(frame)
}

func (s *socket) miss() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missed++
	return s.missed
}

func (s *socket) markAlive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missed = 0
}

// read handles frames until the connection ends.
func (s *socket) read(in io.Reader) {
	defer s.peers.removeSocket(s)
	defer func() {
		s.close(contracts.CloseGoingAway, "goodbye")
		if s.peer != nil {
			s.peer.detach(s)
		}
	}()
	_ = s.conn.SetReadDeadline(time.Now().Add(contracts.HelloTimeout))
	reader := wsutil.Reader{Source: in, State: ws.StateServerSide, CheckUTF8: true, MaxFrameSize: contracts.LimitFrame, OnIntermediate: s.control}
	for {
		body, code, err := s.next(&reader)
		switch {
		case code != 0:
			s.kick(code, err)
			return
		case errors.Is(err, os.ErrDeadlineExceeded) && s.peer == nil:
			s.close(contracts.CloseHelloTimeout, "no hello received")
			return
		case err != nil:
			return
		}
		s.markAlive()
		if s.closed() || !s.handle(body) {
			return
		}
	}
}

// next reads one whole message. If it fails, it also returns the close code, or 0 if the connection
// ended.
func (s *socket) next(r *wsutil.Reader) ([]byte, contracts.CloseCode, error) {
	for {
		h, err := r.NextFrame()
		switch {
		case err != nil:
			return nil, closeCode(err), err
		case h.OpCode.IsControl():
			if err := s.control(h, r); err != nil {
				return nil, closeCode(err), err
			}
			s.markAlive()
			continue
		case h.OpCode != ws.OpText:
			return nil, contracts.CloseBinary, errFrame("binary frames are not supported; send text")
		case !s.flood.Allow():
			return nil, contracts.CloseViolations, errFlood
		}
		body, err := io.ReadAll(io.LimitReader(r, contracts.LimitFrame+1))
		switch {
		case err != nil:
			return nil, closeCode(err), err
		case len(body) > contracts.LimitFrame:
			return nil, contracts.CloseTooBig, errFrame("frame too large")
		}
		return body, 0, nil
	}
}

// control responds to a ping or a close frame, even between the fragments of a message.
func (s *socket) control(h ws.Header, r io.Reader) error {
	if !s.flood.Allow() {
		return errFlood
	}
	return wsutil.ControlFrameHandler(s, ws.StateServerSide)(h, r)
}

const errFlood errFrame = "too many frames"

// closeCode returns the close code for a read error, or 0 if the connection ended.
func closeCode(err error) contracts.CloseCode {
	var framing ws.ProtocolError
	switch {
	case errors.Is(err, errFlood):
		return contracts.CloseViolations
	case errors.Is(err, wsutil.ErrInvalidUTF8):
		return contracts.CloseNotUTF8
	case errors.Is(err, wsutil.ErrFrameTooLarge):
		return contracts.CloseTooBig
	case errors.As(err, &framing):
		return contracts.CloseFraming
	}
	return 0
}

type errFrame string

func (e errFrame) Error() string { return string(e) }
