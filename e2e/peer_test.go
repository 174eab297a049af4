package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/client/socket"
)

// peer is an agent that connects to the bridge.
type peer struct {
	t        *testing.T
	conn     *socket.Conn
	received chan message // all frames except pings
	err      error        // why reading ended; set before received is closed
}

func owner(t *testing.T, data string) string {
	t.Helper()
	for end := time.Now().Add(testTimeout); ; time.Sleep(10 * time.Millisecond) { // the token is created when the server starts to serve
		token, err := os.ReadFile(filepath.Join(data, "token"))
		if err == nil && len(token) > 0 {
			return strings.TrimSpace(string(token))
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// newPeer connects to the bridge and claims a session as the named program.
func newPeer(t *testing.T, addr, token, session, program string) *peer {
	t.Helper()
	p, err := dialPeer(t, addr, token)
	if err != nil {
		t.Fatal(err)
	}
	p.say(message{"type": "hello", "openclaw_session": session, "claude_session": program, "pid": os.Getpid()})
	p.next("hello_ack")
	return p
}

func dialPeer(t *testing.T, addr, token string) (*peer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	conn, err := socket.Dial(ctx, socket.Config{URL: "ws://" + addr + "/bridge", Token: token, Silence: time.Hour})
	if err != nil {
		return nil, err
	}
	p := &peer{t: t, conn: conn, received: make(chan message, 64)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(p.received)
		p.err = p.listen()
	}()
	t.Cleanup(func() {
		conn.Abort()
		<-done
	})
	return p, nil
}

// listen answers pings and queues all other frames.
func (p *peer) listen() error {
	for {
		body, err := p.conn.Read()
		if err != nil {
			return err
		}
		var f message
		if err := json.Unmarshal(body, &f); err != nil {
			return fmt.Errorf("the bridge sent %q: %w", body, err)
		}
		if f.str("type") == "ping" {
			_ = p.try(message{"type": "pong"})
			continue
		}
		select {
		case p.received <- f:
		case <-time.After(testTimeout):
			return fmt.Errorf("the test does not read: %v", f)
		}
	}
}

func (p *peer) try(f message) error {
	return p.conn.Write([]byte(jsonOf(map[string]any(f))))
}

func (p *peer) say(f message) {
	p.t.Helper()
	if err := p.try(f); err != nil {
		p.t.Errorf("say %v: %v", f, err)
	}
}

// reply sends a part of the answer to an inbound message; final marks the last part.
func (p *peer) reply(to message, text string, final bool) {
	p.t.Helper()
	p.say(message{"type": "reply", "content": text, "final": final, "message_id": to.at("meta.message_id")})
}

// next returns the next frame, which must be of the given kind.
func (p *peer) next(kind string) message {
	p.t.Helper()
	select {
	case f, open := <-p.received:
		if !open || f.str("type") != kind {
			p.t.Fatalf("the peer got %v (%v), want %s", f, p.err, kind)
		}
		return f
	case <-time.After(testTimeout):
		p.t.Fatalf("the peer never got %s", kind)
		return nil
	}
}

func jsonOf(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
