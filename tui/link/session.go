package link

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/tui/model"
)

// session is one connection from its handshake to its end.
type session struct {
	*Link
	line *socket.Conn
	ctx  context.Context
	side *sync.WaitGroup // what is read beside the socket

	replay  []model.Message // waits for its snapshot
	live    bool
	refusal *contracts.ErrorPayload
}

func (l *Link) session(ctx context.Context, side *sync.WaitGroup) ending {
	n, err := socket.Dial(ctx, socket.Config{URL: l.cfg.Server + "/ws/world", Token: l.cfg.Token, TLS: l.cfg.TLS})
	if err != nil {
		return dialEnding(err, l.cfg.Server)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, n.Close)
	defer stop()
	defer n.Abort()
	s := &session{Link: l, line: n, ctx: ctx, side: side}
	if err := s.hello(); err != nil {
		return endingOf(socket.CodeOf(err), nil)
	}
	for {
		text, err := n.Read()
		if err != nil {
			s.keepReplay()
			l.use(nil)
			return endingOf(socket.CodeOf(err), s.refusal)
		}
		if s.receive(text) {
			l.forget()
			return ending{reason: "Text was erased; the office is loaded again."}
		}
	}
}

// forget drops everything that is known and what a client holds of it: the text of a
// record was erased, and what was made of it is everywhere.
func (l *Link) forget() {
	l.use(nil)
	l.seq, l.snapshotID = 0, ""
	l.cfg.Tell(Update{Reset: true})
	l.Hurry()
}

func (s *session) hello() error {
	hello := contracts.Hello{
		Client:            contracts.ClientInfo{ID: s.client, Name: s.cfg.Name, Build: s.cfg.Build, Platform: "terminal"},
		SupportedVersions: []int{contracts.ProtocolVersion},
	}
	if s.snapshotID != "" {
		hello.Resume = &contracts.Resume{LastSeq: s.seq, LastSnapshotID: s.snapshotID, SceneID: s.sceneID, Epoch: s.epoch, Segment: s.segment}
	}
	return s.post(contracts.TypeHello, hello)
}

func (s *session) post(t contracts.MessageType, payload any) error {
	text, err := contracts.AppendEnvelope(nil, t, newID("msg"), time.Now().UnixMilli(), payload)
	if err != nil {
		return err
	}
	return s.line.Write(text)
}

func newID(prefix string) string { return prefix + "_" + strings.ReplaceAll(uuid.NewString(), "-", "") }

// receive takes a message in. It reports whether everything must be loaded again.
func (s *session) receive(text []byte) (afresh bool) {
	m, err := model.Read(text)
	if err != nil {
		return false // a type of a later version, or broken: the next snapshot is right
	}
	switch p := m.Payload.(type) {
	case *contracts.Event:
		if p.Name == contracts.EventRecordRedacted {
			return true
		}
	case *contracts.HelloAck:
		s.welcomed(p)
	case *contracts.Ack:
		s.mail.answered(p.InReplyTo, Reply{OK: true, Seq: p.Seq, Duplicate: p.Duplicate, Result: p.Result})
	case *contracts.ErrorPayload:
		if !s.refused(p) {
			s.refusal = p
		}
	}
	s.take(m)
	return false
}

// refused answers a command with its refusal. One that came too fast goes out
// again under its id.
func (s *session) refused(p *contracts.ErrorPayload) bool {
	reply := Reply{Code: p.Code, Message: p.Message, Field: p.Field, RetryAfter: time.Duration(p.RetryAfterMS) * time.Millisecond}
	text, wait := s.mail.again(p.InReplyTo, reply)
	if text == nil {
		return s.mail.answered(p.InReplyTo, reply)
	}
	timer := time.AfterFunc(wait, func() { _ = s.line.Write(text) })
	context.AfterFunc(s.ctx, func() { timer.Stop() })
	return true
}

func (s *session) welcomed(ack *contracts.HelloAck) {
	if ack.Resume != nil && ack.Resume.Status != "resumed" {
		s.seq, s.snapshotID = 0, ""
		s.cfg.Tell(Update{Reset: true})
	}
	// What another history asked for means nothing here.
	if s.epoch != "" && ack.Epoch != "" && ack.Epoch != s.epoch {
		s.mail.giveUp("The office started anew. Please ask again.")
	}
	s.epoch, s.segment, s.sceneID = ack.Epoch, ack.Segment, cmp.Or(ack.SceneID, contracts.DefaultScene)
	s.mu.Lock()
	s.state.Server = ack.Server
	s.mu.Unlock()
	s.live, s.replay = false, nil
	interval, timeout := contracts.HeartbeatInterval, contracts.HeartbeatTimeout
	if ack.Heartbeat.IntervalMS > 0 {
		interval = max(time.Second, time.Duration(ack.Heartbeat.IntervalMS)*time.Millisecond)
		timeout = max(interval+time.Second, time.Duration(ack.Heartbeat.TimeoutMS)*time.Millisecond)
	}
	s.line.SetSilence(timeout)
	s.side.Go(func() { s.line.Beat(s.ctx, interval, func() { _ = s.post(contracts.TypePing, struct{}{}) }) })
	_ = s.post(contracts.TypeSubscribe, contracts.Subscribe{
		SceneID:   s.sceneID,
		Channels:  contracts.Channels{Events: true, Snapshots: true, Goals: true, Chat: true, Stream: true, HUD: true, UI: true},
		Snapshots: &contracts.SnapshotOpt{Mode: "delta"},
	})
}

// take hands messages on: while catching up in bursts, afterwards at once.
func (s *session) take(m model.Message) {
	if s.live {
		s.tell([]model.Message{m})
		return
	}
	s.replay = append(s.replay, m)
	snapshot := m.Type == contracts.TypeSnapshot
	if !snapshot && len(s.replay) < contracts.LimitReplayBurst {
		return
	}
	burst := s.replay
	s.replay = nil
	s.tell(burst)
	if snapshot {
		s.goLive(m)
	}
}

func (s *session) tell(list []model.Message) {
	for _, m := range list {
		s.seq = max(s.seq, m.Seq)
	}
	s.cfg.Tell(Update{Messages: list})
}

// keepReplay: what came of a replay counts, so that a line that breaks again and
// again still gets on.
func (s *session) keepReplay() {
	if s.snapshotID != "" && len(s.replay) > 0 {
		s.tell(s.replay)
	}
}

func (s *session) goLive(m model.Message) {
	fresh := s.snapshotID == ""
	s.snapshotID, s.live = m.ID, true
	s.use(s.line)
	s.change(func(st *State) { *st = State{Phase: Live, Server: st.Server} })
	for _, text := range s.mail.unanswered() {
		_ = s.line.Write(text)
	}
	epoch, scene := s.epoch, s.sceneID
	s.side.Go(func() {
		if fresh {
			s.readPast(s.ctx, m.Seq, epoch)
		}
		s.readScene(s.ctx, scene)
	})
}

func (l *Link) use(n *socket.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = n
}

// Do asks the office for something and waits for the one answer. A refusal is an
// answer too; OFFLINE is ours: nothing was sent.
func (l *Link) Do(ctx context.Context, data contracts.CommandData) Reply {
	l.mu.Lock()
	live := l.line != nil && l.state.Phase == Live
	l.mu.Unlock()
	if !live {
		return Reply{Code: CodeOffline, Message: "The office cannot be reached just now. Nothing was sent."}
	}
	id := newID("cmd")
	text, err := encode(id, data)
	if err != nil {
		return Reply{Code: contracts.CodeValidationFailed, Message: err.Error()}
	}
	answer, ok := l.mail.keep(id, text)
	if !ok {
		return Reply{Code: contracts.CodeRateLimited, Message: "Too many commands wait for their answer. Nothing was sent."}
	}
	l.mu.Lock()
	n := l.line // looked up after it is kept: a line that comes later sends it
	l.mu.Unlock()
	if n != nil {
		_ = n.Write(text) // when it is cut, it is sent again on return
	}
	select {
	case reply := <-answer:
		return reply
	case <-ctx.Done():
		return Reply{Code: CodeOffline, Message: "The terminal is closing. It is not known whether the office heard this."}
	}
}

func encode(id string, data contracts.CommandData) ([]byte, error) {
	body, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	if len(body) > contracts.LimitFrame/2 {
		return nil, errors.New("this is too long to send")
	}
	return contracts.AppendEnvelope(nil, contracts.TypeCommand, id, time.Now().UnixMilli(), map[string]any{"name": data.CommandName(), "data": data})
}
