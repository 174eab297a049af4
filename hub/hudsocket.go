package hub

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
)

// hudSocket is a viewer on /ws/hud, the flat feed of the HUD protocol. It reads the timeline at
// its own pace; records that it has not read yet stay in the ledger.
type hudSocket struct {
	hub        *Hub
	conn       net.Conn
	connection connection
	feed       feed
	agent      string // filters; an empty filter matches everything
	session    string
	segment    string // newest segment announced to the client; empty if the client did not request segments
	cancel     context.CancelFunc

	mu     sync.Mutex // guards writes and closed
	closed bool
}

// ServeHUD answers /ws/hud?agent=&session=&after=&epoch=&segment=. Without after, the feed starts
// now; messages from history have replay:true.
func (h *Hub) ServeHUD(w http.ResponseWriter, r *http.Request) {
	principal, query := h.principal(r), r.URL.Query()
	from, refusal := h.readCursor(r, "", fromNow)
	if agent := query.Get("agent"); agent != "" && !contracts.HasPrefix(agent, contracts.PrefixAgent) { // any other value would match nothing
		refusal = contracts.RefuseField("agent", "agent must be an agent id such as agent_writer_1; GET /v1/state lists the agents")
	}
	if refusal != nil {
		h.httpRefuse(w, http.StatusBadRequest, refusal)
		return
	}
	conn, early, ok := h.upgrade(w, r)
	if !ok {
		return
	}
	ctx, cancel := context.WithCancel(h.runCtx)
	s := &hudSocket{
		hub: h, conn: conn, agent: query.Get("agent"), session: query.Get("session"), segment: from.segment, cancel: cancel,
		feed: h.feedFrom(from, chanHUD),
	}
	s.connection = connection{principal: principal.ID, close: s.close, abort: func() { cancel(); conn.Close() }}
	if code, ok := h.registry.add(&s.connection, &h.limits); !ok {
		cancel()
		h.rejectConnection(conn, code)
		return
	}
	go s.run(ctx, early, h.resyncMessage(from))
}

// run sends the resync message if there is one, then the feed's messages, and a ping when idle.
func (s *hudSocket) run(ctx context.Context, early, resync []byte) {
	defer s.hub.registry.work.Done()
	defer s.hub.registry.remove(&s.connection)
	var reader sync.WaitGroup
	defer reader.Wait()
	reader.Go(func() { s.read(early) })
	defer s.conn.Close()
	defer s.cancel()
	if resync != nil && s.write(textFrame(appendFlat(nil, resync)), 1) != nil {
		return
	}
	for {
		wait, cancel := context.WithTimeout(ctx, contracts.HeartbeatInterval)
		items, err := s.feed.next(wait)
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, context.DeadlineExceeded):
			err = s.write(controlFrame(ws.OpPing, nil), 0)
		case err != nil:
			s.close(contracts.CloseInsufficientState, "the history cannot be read right now; reconnect later with ?after=")
			return
		default:
			err = s.write(s.frames(items))
		}
		if err != nil {
			return
		}
	}
}

// frames returns the messages that match the client's filters, preceded by a segment notice if the
// segment has changed.
func (s *hudSocket) frames(items []item) (out []byte, msgs int) {
	var flat []byte
	add := func(msg []byte) {
		flat = appendFlat(flat[:0], msg)
		out = append(appendHeader(out, ws.OpText, len(flat)), flat...)
		msgs++
	}
	if n := s.hub.noteSegment(); s.segment != "" && n.segment != s.segment {
		add(frameBody(n.frame))
		s.segment = n.segment
	}
	for i := range items {
		if !s.wants(items[i].msg) {
			continue
		}
		add(items[i].msg)
	}
	return out, msgs
}

func (s *hudSocket) wants(msg []byte) bool {
	if s.agent == "" && s.session == "" {
		return true
	}
	cut := bytes.Index(msg, payloadMark)
	var p struct {
		Agent   string `json:"agent_id"`
		Session string `json:"session"`
	}
	if cut < 0 || json.Unmarshal(msg[cut+len(payloadMark)-1:len(msg)-1], &p) != nil {
		return false
	}
	return (s.agent == "" || s.agent == p.Agent) && (s.session == "" || s.session == p.Session)
}

func (s *hudSocket) write(frames []byte, msgs int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return net.ErrClosed
	}
	if len(frames) == 0 {
		return nil
	}
	_ = s.conn.SetWriteDeadline(time.Now().Add(s.hub.limits.WriteTimeout))
	n, err := s.conn.Write(frames)
	s.hub.metrics.sent(msgs, n)
	return err
}

func (s *hudSocket) close(code contracts.CloseCode, reason string) {
	s.hub.metrics.closed(code)
	s.sendClose(code, reason)
}

// sendClose sends a close frame as the last frame and closes the socket.
func (s *hudSocket) sendClose(code contracts.CloseCode, reason string) {
	_ = s.conn.SetWriteDeadline(time.Now().Add(contracts.CloseGrace)) // ends a write in progress
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	_ = s.conn.SetWriteDeadline(time.Now().Add(contracts.CloseGrace))
	_, _ = s.conn.Write(closeFrame(code, reason))
	s.cancel()
}

// read answers pings and detects a closed connection. It ignores messages, but too many messages
// close the connection.
func (s *hudSocket) read(early []byte) {
	in := frameReader{conn: s.conn, limit: contracts.LimitText, early: early}
	defer s.cancel()
	var inbound bucket
	arm := func() { _ = s.conn.SetReadDeadline(time.Now().Add(contracts.HeartbeatTimeout)) }
	busy := func() bool {
		_, ok := inbound.use(time.Now(), contracts.InboundPerSecond, contracts.InboundPerSecond)
		return !ok
	}
	for {
		msg, err := in.message(arm, func(op ws.OpCode, payload []byte) {
			if op == ws.OpPing && !busy() {
				_ = s.write(controlFrame(ws.OpPong, payload), 0)
			}
		})
		in.release(msg)
		var ce *closeError
		switch {
		case errors.As(err, &ce) && ce.peer:
			s.sendClose(ce.code, "")
			return
		case errors.As(err, &ce):
			s.close(ce.code, ce.reason)
			return
		case err != nil:
			return
		case busy():
			s.close(contracts.CloseViolations, "this socket does not accept messages")
			return
		}
	}
}
