package client

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/server"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// open starts a real office and returns its address.
func open(t *testing.T, cfg server.Config) string {
	t.Helper()
	cfg.Crew = server.CrewNone
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	t.Cleanup(func() {
		if err := s.Shutdown(context.Background()); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		<-served
	})
	return ln.Addr().String()
}

// connect returns a client that is closed when the test ends.
func connect(t *testing.T, cfg Config) *Client {
	t.Helper()
	c := New(cfg)
	t.Cleanup(c.Close)
	return c
}

// lossy forwards connections to an office. The first connection breaks when the office responds to
// the first command, before the response gets through.
func lossy(t *testing.T, ln net.Listener, target string) (connections func() int) {
	t.Helper()
	var mu sync.Mutex
	n := 0
	var flows sync.WaitGroup
	flows.Go(func() {
		for {
			ours, err := ln.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			n++
			first := n == 1
			mu.Unlock()
			flows.Go(func() { forward(ours, target, first) })
		}
	})
	t.Cleanup(func() { ln.Close(); flows.Wait() })
	return func() int { mu.Lock(); defer mu.Unlock(); return n }
}

func forward(ours net.Conn, target string, breaks bool) {
	theirs, err := net.Dial("tcp", target)
	if err != nil {
		ours.Close()
		return
	}
	var up sync.WaitGroup
	up.Go(func() { _, _ = io.Copy(theirs, ours); theirs.Close() })
	buf := make([]byte, 64<<10)
	for {
		n, err := theirs.Read(buf)
		if err != nil || breaks && bytes.Contains(buf[:n], []byte(`"in_reply_to"`)) {
			break
		}
		if _, err := ours.Write(buf[:n]); err != nil {
			break
		}
	}
	ours.Close()
	theirs.Close()
	up.Wait()
}

// script starts a fake office that handles each connection with talk.
func script(t *testing.T, talk func(connection int, conn net.Conn)) string {
	t.Helper()
	return scriptHello(t, func(connection int, _ contracts.Hello, conn net.Conn) { talk(connection, conn) })
}

// scriptHello is like script, but the fake office reads the hello first.
func scriptHello(t *testing.T, talk func(connection int, hello contracts.Hello, conn net.Conn)) string {
	t.Helper()
	var mu sync.Mutex
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, _, err := ws.UpgradeHTTP(r, w)
		if err != nil {
			return
		}
		defer conn.Close()
		mu.Lock()
		n++
		now := n
		mu.Unlock()
		var m Message
		var hello contracts.Hello
		text, err := wsutil.ReadClientText(conn)
		if err == nil && json.Unmarshal(text, &m) == nil && m.Decode(&hello) == nil {
			talk(now, hello, conn)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func say(conn net.Conn, kind contracts.MessageType, payload any) {
	text, err := contracts.AppendEnvelope(nil, kind, "msg_1", 1, payload)
	if err == nil {
		_ = wsutil.WriteServerText(conn, text)
	}
}

// readID returns the id of the next message, or "" if there is none.
func readID(conn net.Conn) string {
	text, err := wsutil.ReadClientText(conn)
	var m Message
	if err != nil || json.Unmarshal(text, &m) != nil {
		return ""
	}
	return m.ID
}

// following follows the office until the test ends. It returns once the connection is live.
func following(t *testing.T, c *Client) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	live, ended := make(chan struct{}), make(chan error, 1)
	isLive := sync.OnceFunc(func() { close(live) })
	go func() {
		ended <- c.Follow(ctx, Subscription{}, func(u Update) error {
			if u.State != nil && u.State.Phase == Live {
				isLive()
			}
			return nil
		})
	}()
	t.Cleanup(func() { cancel(); <-ended })
	<-live
}
