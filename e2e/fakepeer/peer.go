package main

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/client/socket"
)

// frame holds the fields of every bridge message that this program reads or writes.
type frame struct {
	Type            string            `json:"type"`
	OpenclawSession string            `json:"openclaw_session,omitzero"`
	ClaudeSession   string            `json:"claude_session,omitzero"`
	PID             int               `json:"pid,omitzero"`
	Content         *string           `json:"content,omitzero"`
	Final           *bool             `json:"final,omitzero"`
	MessageID       string            `json:"message_id,omitzero"`
	Meta            map[string]string `json:"meta,omitzero"`
	RequestID       string            `json:"request_id,omitzero"`
	Tool            string            `json:"tool_name,omitzero"`
	Description     string            `json:"description,omitzero"`
	Behavior        string            `json:"behavior,omitzero"`
	Message         string            `json:"message,omitzero"`
}

// peer connects, sends a hello and plays its script until it is stopped.
type peer struct {
	cfg  config
	play func(ctx context.Context, p *peer, in frame)

	mu       sync.Mutex
	conn     *socket.Conn // nil while disconnected
	opening  *frame       // the first message received
	late     atomic.Bool
	verdicts chan string
	playing  sync.WaitGroup
}

// run connects, and reconnects with backoff whenever the connection ends.
func (p *peer) run(ctx context.Context) {
	p.verdicts = make(chan string, 1)
	defer p.playing.Wait()
	for redial := (backoff.Backoff{First: p.cfg.redial}); ctx.Err() == nil; {
		greeted, err := p.connectOnce(ctx)
		event("closed %v", err)
		if greeted {
			redial.Reset()
		}
		_ = redial.Wait(ctx)
	}
}

// connectOnce runs one connection until it ends; greeted reports whether the office accepted the
// hello.
func (p *peer) connectOnce(ctx context.Context) (greeted bool, err error) {
	conn, err := socket.Dial(ctx, socket.Config{URL: p.cfg.url, Token: p.cfg.token, Silence: time.Hour})
	if err != nil {
		return false, err
	}
	defer conn.Abort()
	defer context.AfterFunc(ctx, conn.Abort)()
	p.mu.Lock()
	p.conn = conn
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.conn = nil
		p.mu.Unlock()
	}()
	p.send(frame{Type: "hello", OpenclawSession: p.cfg.session, ClaudeSession: p.cfg.program, PID: os.Getpid()})
	for {
		data, err := conn.Read()
		if err != nil {
			return greeted, err
		}
		var f frame
		if err := json.Unmarshal(data, &f); err != nil {
			return greeted, err
		}
		greeted = greeted || f.Type == "hello_ack"
		p.take(ctx, f)
	}
}

func (p *peer) take(ctx context.Context, f frame) {
	switch f.Type {
	case "hello_ack":
		if p.cfg.script == "stray" {
			p.reply("", "nobody asked", true)
			p.send(frame{Type: "ping"}) // the pong shows that the office has read the reply
			return
		}
		event("connected")
	case "pong":
		event("connected")
	case "inbound":
		event("inbound %s", f.Meta["message_id"])
		p.playing.Go(func() { p.play(ctx, p, f) })
	case "permission":
		p.verdicts <- f.Behavior
	case "ping":
		if p.cfg.script != "deaf" {
			p.send(frame{Type: "pong"})
		}
	case "cancel":
		event("cancel %s", f.MessageID)
	case "error":
		event("error %s", f.Message)
	}
}

// send sends a frame. If there is no connection, it returns false, and the script continues.
func (p *peer) send(f frame) bool {
	data, err := json.Marshal(f)
	return err == nil && p.write(data)
}

func (p *peer) write(data []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conn != nil && p.conn.Write(data) == nil
}

// reply answers a message. The message id is optional, because it is Bullpen's own addition to the
// bridge protocol.
func (p *peer) reply(id, text string, final bool) bool {
	return p.send(frame{Type: "reply", Content: &text, Final: &final, MessageID: id})
}

// replyWithRetry is like reply, but waits for a connection if there is none.
func (p *peer) replyWithRetry(ctx context.Context, id, text string, final bool) {
	for ctx.Err() == nil && !p.reply(id, text, final) {
		time.Sleep(10 * time.Millisecond)
	}
}

// hangUp drops the connection without a close frame.
func (p *peer) hangUp() {
	p.mu.Lock()
	conn := p.conn
	p.conn = nil
	p.mu.Unlock()
	if conn != nil {
		conn.Abort()
	}
}
