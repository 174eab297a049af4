package client

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
)

// Subscription selects the messages to follow. Snapshots are always included: each connection
// starts with one.
type Subscription struct {
	Events, Goals, Chat, Stream, HUD, UI bool

	Delta bool // later snapshots contain only changes
}

// Update holds new messages or a new connection state.
type Update struct {
	Reset    bool // the history has changed: discard everything received before Messages
	Messages []Message
	State    *State
}

// Phase is the state of the connection.
type Phase string

// The phases. Stale means that the connection was live before, so the last known state can be
// shown; Offline means that it was never live; Refused means that no further attempt is made.
const (
	Connecting Phase = "connecting"
	Live       Phase = "live"
	Stale      Phase = "stale"
	Offline    Phase = "offline"
	Refused    Phase = "refused"
)

// State is the phase of the connection, with its details.
type State struct {
	Phase   Phase
	Attempt int       // failed attempts in a row
	RetryAt time.Time // zero during an attempt, or if no attempt is planned
	Err     error     // why the connection is not live
	Server  contracts.ServerInfo
	Scene   string // id of the office's scene
	Epoch   string // epoch of the office's ledger
	Seq     uint64 // seq of the newest record that was delivered
	Fresh   bool   // the connection went live without resuming, so earlier records were not delivered
}

// follower is the state of one call to Follow.
type follower struct {
	*Client
	subscribe contracts.Subscribe
	notify    func(Update) error
	state     State

	seq        uint64
	segment    string // newest segment received from the office; the record at seq belongs to this or an earlier segment
	snapshotID string
}

// Follow calls fn with each update of the subscription, in order and never concurrently. When the
// connection is lost, it reconnects with backoff. It returns fn's error, context.Cause(ctx), or an
// error that reconnecting would not fix (see Final). fn must not wait for Do, because nothing is
// read while fn runs.
func (c *Client) Follow(ctx context.Context, s Subscription, fn func(Update) error) (err error) {
	c.mu.Lock()
	busy := c.following
	c.following = true
	c.mu.Unlock()
	if busy {
		return ErrFollowing
	}
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.following = false
		c.mail.fail(cmp.Or(err, context.Canceled))
	}()
	f := &follower{Client: c, notify: fn, state: State{Phase: Connecting}, subscribe: contracts.Subscribe{
		Channels: contracts.Channels{Snapshots: true, Events: s.Events, Goals: s.Goals, Chat: s.Chat, Stream: s.Stream, HUD: s.HUD, UI: s.UI},
	}}
	if s.Delta {
		f.subscribe.Snapshots = &contracts.SnapshotOpt{Mode: "delta"}
	}
	return f.run(ctx)
}

// callbackError marks an error that the caller's function returned, so that Follow stops and
// returns it instead of reconnecting.
type callbackError struct{ error }

func (e *callbackError) Unwrap() error { return e.error }

func (f *follower) run(ctx context.Context) error {
	retry := backoff.Backoff{First: contracts.LinkRetryFirst, Max: contracts.LinkRetryMax}
	for {
		err := f.session(ctx, &retry)
		f.use(nil)
		var stop *callbackError
		switch {
		case errors.As(err, &stop):
			return stop.error
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, ErrRedacted):
			f.seq, f.snapshotID = 0, ""
			if err := f.notify(Update{Reset: true}); err != nil {
				return err
			}
			f.RetryNow()
		case Final(err):
			return cmp.Or(f.change(State{Phase: Refused, Err: err}), err)
		}
		if err := f.pause(ctx, err, retry.Next()); err != nil {
			return err
		}
	}
}

// pause reports why the connection is down and waits before the next attempt.
func (f *follower) pause(ctx context.Context, why error, wait time.Duration) error {
	phase := Offline
	if f.state.Phase == Live || f.state.Phase == Stale {
		phase = Stale
	}
	if err := f.change(State{Phase: phase, Attempt: f.state.Attempt + 1, RetryAt: time.Now().Add(wait), Err: why}); err != nil {
		return err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-f.retryNow:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	s := f.state
	s.RetryAt = time.Time{}
	return f.change(s)
}

// RetryNow makes Follow try to connect now instead of waiting.
func (c *Client) RetryNow() {
	select {
	case c.retryNow <- struct{}{}:
	default:
	}
}

// change sets the state and reports it.
func (f *follower) change(s State) error {
	s.Server, s.Scene, s.Epoch, s.Seq = f.state.Server, f.state.Scene, f.state.Epoch, f.seq
	f.state = s
	return f.notify(Update{State: &s})
}

func (c *Client) use(conn *socket.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conn = conn
}

// session is one connection from its handshake to its end.
type session struct {
	*follower
	conn      *socket.Conn
	ctx       context.Context
	retry     *backoff.Backoff
	heartbeat sync.WaitGroup // the goroutine that sends pings

	replay  []Message // held until the snapshot arrives
	live    bool
	refusal *contracts.ErrorPayload
}

func (f *follower) session(ctx context.Context, retry *backoff.Backoff) error {
	conn, err := socket.Dial(ctx, f.socket())
	if err != nil {
		return &DialError{err}
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &session{follower: f, conn: conn, ctx: ctx, retry: retry}
	defer s.heartbeat.Wait()
	defer cancel()
	stop := context.AfterFunc(ctx, conn.Close)
	defer stop()
	defer conn.Abort()
	hello := f.hello()
	if f.snapshotID != "" {
		hello.Resume = &contracts.Resume{LastSeq: f.seq, LastSnapshotID: f.snapshotID, SceneID: f.state.Scene, Epoch: f.state.Epoch, Segment: f.segment}
	}
	if err := post(conn, contracts.TypeHello, hello); err != nil {
		return err
	}
	for {
		text, err := conn.Read()
		if err != nil {
			return s.ended(err)
		}
		if err := s.receive(text); err != nil {
			return err
		}
	}
}

// ended delivers the part of a replay that has arrived, so that an unstable connection still makes
// progress, and returns the reason that the session ended.
func (s *session) ended(err error) error {
	if s.snapshotID != "" && len(s.replay) > 0 {
		if err := s.emit(s.replay); err != nil {
			return err
		}
	}
	if s.refusal != nil && s.refusal.Code == contracts.CodeVersionUnsupported {
		return &HelloError{s.refusal.Refusal, s.refusal.SupportedVersions}
	}
	return err
}

// receive handles a message. A message that cannot be decoded is skipped: the next snapshot
// corrects the state.
func (s *session) receive(text []byte) error {
	m, err := Parse(text)
	if err != nil {
		return nil
	}
	switch m.Type {
	case contracts.TypeEvent:
		var e struct {
			Name contracts.EventName `json:"name"`
		}
		if m.Decode(&e) == nil && e.Name == contracts.EventRecordRedacted {
			return ErrRedacted
		}
	case contracts.TypeHelloAck:
		var ack contracts.HelloAck
		if m.Decode(&ack) != nil {
			return nil
		}
		if err := s.handleHelloAck(&ack); err != nil {
			return err
		}
	case contracts.TypeSegment:
		var notice contracts.SegmentNotice
		if m.Decode(&notice) == nil {
			s.segment = notice.Segment
		}
		return nil
	case contracts.TypeAck:
		var ack contracts.Ack
		if m.Decode(&ack) == nil {
			s.mail.deliver(ack.InReplyTo, reply{ack: ack})
		}
	case contracts.TypeError:
		var p contracts.ErrorPayload
		if m.Decode(&p) == nil && !s.handleRefusal(&p) {
			s.refusal = &p
		}
	}
	return s.deliver(m)
}

// handleRefusal sends the refused command again if a retry is allowed; otherwise, it passes the
// refusal to the command. It returns false if the refusal is not about a waiting command.
func (s *session) handleRefusal(p *contracts.ErrorPayload) bool {
	text, wait := s.mail.retry(p.InReplyTo, &p.Refusal)
	if text == nil {
		return s.mail.deliver(p.InReplyTo, reply{err: &p.Refusal})
	}
	timer := time.AfterFunc(wait, func() { _ = s.conn.Write(text) })
	context.AfterFunc(s.ctx, func() { timer.Stop() })
	return true
}

func (s *session) handleHelloAck(ack *contracts.HelloAck) error {
	if ack.Resume != nil && ack.Resume.Status != "resumed" {
		s.seq, s.snapshotID = 0, ""
		if err := s.notify(Update{Reset: true}); err != nil {
			return &callbackError{err}
		}
	}
	if s.state.Epoch != "" && ack.Epoch != "" && ack.Epoch != s.state.Epoch {
		s.mail.fail(ErrHistory)
	}
	s.segment, s.state.Server, s.state.Epoch, s.state.Scene = ack.Segment, ack.Server, ack.Epoch, cmp.Or(ack.SceneID, contracts.DefaultScene)
	s.live, s.replay = false, nil
	interval, timeout := contracts.HeartbeatInterval, contracts.HeartbeatTimeout
	if ack.Heartbeat.IntervalMS > 0 {
		interval = max(time.Second, time.Duration(ack.Heartbeat.IntervalMS)*time.Millisecond)
		timeout = max(interval+time.Second, time.Duration(ack.Heartbeat.TimeoutMS)*time.Millisecond)
	}
	s.conn.SetSilence(timeout)
	s.heartbeat.Go(func() {
		s.conn.Beat(s.ctx, interval, func() { _ = post(s.conn, contracts.TypePing, struct{}{}) })
	})
	subscribe := s.subscribe
	subscribe.SceneID = s.state.Scene
	_ = post(s.conn, contracts.TypeSubscribe, subscribe) // if it fails, so does reading
	return nil
}

// deliver passes messages to the caller: in batches while catching up, then one by one.
func (s *session) deliver(m Message) error {
	if s.live {
		return s.emit([]Message{m})
	}
	s.replay = append(s.replay, m)
	snapshot := m.Type == contracts.TypeSnapshot
	if !snapshot && len(s.replay) < contracts.LimitReplayBurst {
		return nil
	}
	burst := s.replay
	s.replay = nil
	if err := s.emit(burst); err != nil || !snapshot {
		return err
	}
	return s.goLive(m)
}

func (s *session) emit(list []Message) error {
	for _, m := range list {
		s.seq = max(s.seq, m.Seq)
	}
	if err := s.notify(Update{Messages: list}); err != nil {
		return &callbackError{err}
	}
	return nil
}

func (s *session) goLive(m Message) error {
	fresh := s.snapshotID == ""
	s.snapshotID, s.live = m.ID, true
	s.retry.Reset()
	s.mu.Lock()
	s.Client.conn = s.conn
	waiting := s.mail.unanswered()
	s.mu.Unlock()
	if err := s.change(State{Phase: Live, Fresh: fresh}); err != nil {
		return &callbackError{err}
	}
	for _, text := range waiting {
		_ = s.conn.Write(text)
	}
	return nil
}
