package socket

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// pipe opens a connection without a network; serve handles the other end.
func pipe(t *testing.T, cfg Config, serve func(net.Conn)) *Conn {
	t.Helper()
	cfg.URL = "ws://office/"
	done := make(chan struct{})
	cfg.Dial = func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer close(done)
			defer theirs.Close()
			if _, err := ws.Upgrade(theirs); err == nil {
				serve(theirs)
			}
		}()
		return ours, nil
	}
	c, err := Dial(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Abort(); <-done })
	return c
}

// frames returns a handler that writes raw frames and discards everything that it reads.
func frames(list ...ws.Frame) func(net.Conn) {
	return func(conn net.Conn) {
		go func() { _, _ = io.Copy(io.Discard, conn) }()
		for _, f := range list {
			if ws.WriteFrame(conn, f) != nil {
				return
			}
		}
	}
}

func TestReads(t *testing.T) {
	fragment := func(op ws.OpCode, fin bool, text string) ws.Frame { return ws.NewFrame(op, fin, []byte(text)) }
	reserved := fragment(ws.OpText, true, "x")
	reserved.Header.Rsv = 4
	masked := ws.MaskFrame(ws.NewTextFrame([]byte("x")))
	for name, c := range map[string]struct {
		sent []ws.Frame
		want []string // messages before the error
		err  error    // default io.EOF
	}{
		"messages":              {sent: []ws.Frame{ws.NewTextFrame([]byte("a")), ws.NewTextFrame(nil), ws.NewBinaryFrame([]byte("b"))}, want: []string{"a", "", "b"}},
		"fragments with a ping": {sent: []ws.Frame{fragment(ws.OpText, false, "a"), ws.NewPingFrame([]byte("p")), fragment(ws.OpContinuation, true, "b")}, want: []string{"ab"}},
		"a pong":                {sent: []ws.Frame{ws.NewPongFrame(nil), ws.NewTextFrame([]byte("a"))}, want: []string{"a"}},
		"no start":              {sent: []ws.Frame{fragment(ws.OpContinuation, true, "a")}, err: ErrProtocol},
		"two starts":            {sent: []ws.Frame{fragment(ws.OpText, false, "a"), fragment(ws.OpText, true, "b")}, err: ErrProtocol},
		"not UTF-8":             {sent: []ws.Frame{fragment(ws.OpText, true, "\xff")}, err: ErrProtocol},
		"reserved bits":         {sent: []ws.Frame{reserved}, err: ErrProtocol},
		"masked":                {sent: []ws.Frame{masked}, err: ErrProtocol},
		"a long ping":           {sent: []ws.Frame{ws.NewPingFrame(make([]byte, 126))}, err: ErrProtocol},
		"a ping in fragments":   {sent: []ws.Frame{fragment(ws.OpPing, false, "p")}, err: ErrProtocol},
		"an unknown frame":      {sent: []ws.Frame{fragment(5, true, "x")}, err: ErrProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			conn := pipe(t, Config{}, frames(c.sent...))
			var got []string
			for {
				text, err := conn.Read()
				if err == nil {
					got = append(got, string(text))
					continue
				}
				if want := c.err; want != nil && !errors.Is(err, want) || want == nil && !errors.Is(err, io.EOF) {
					t.Errorf("ended with %v", err)
				}
				if strings.Join(got, ",") != strings.Join(c.want, ",") {
					t.Errorf("read %q", got)
				}
				return
			}
		})
	}
}

// A message that is too large is skipped, whether it arrives in one frame or in many. The next
// message is read.
func TestTooLargeMessageIsSkipped(t *testing.T) {
	half := bytes.Repeat([]byte("x"), 600)
	conn := pipe(t, Config{Limit: 1000}, frames(
		ws.NewTextFrame(append(half, half...)),
		ws.NewFrame(ws.OpText, false, half), ws.NewFrame(ws.OpContinuation, true, half),
		ws.NewTextFrame([]byte("small")),
	))
	for range 2 {
		_, err := conn.Read()
		var large *TooLargeError
		if !errors.As(err, &large) || large.Size != 1200 {
			t.Errorf("%v", err)
		}
	}
	if text, err := conn.Read(); err != nil || string(text) != "small" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestCloseCodes(t *testing.T) {
	for name, c := range map[string]struct {
		sent ws.Frame
		code contracts.CloseCode
	}{
		"revoked":      {ws.NewCloseFrame(ws.NewCloseFrameBody(ws.StatusCode(contracts.CloseRevoked), "no\x1b[31m more")), contracts.CloseRevoked},
		"without code": {ws.NewCloseFrame(nil), 1005},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := pipe(t, Config{}, frames(c.sent)).Read()
			var closed *CloseError
			if !errors.As(err, &closed) || closed.Code != c.code || CodeOf(err) != c.code || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("%q", err)
			}
		})
	}
	if _, err := pipe(t, Config{}, frames()).Read(); CodeOf(err) != CloseAbnormal {
		t.Errorf("without a close frame: %v", err)
	}
}

// Every wait is bounded: for the handshake, for the next frame, and for a peer that does not read.
func TestEveryWaitIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ours, theirs := net.Pipe()
		defer theirs.Close()
		_, err := Dial(t.Context(), Config{URL: "ws://office/", Handshake: 3 * time.Second, Dial: func(context.Context, string, string) (net.Conn, error) { return ours, nil }})
		if err == nil || time.Since(began) != 3*time.Second {
			t.Errorf("the handshake ended after %v: %v", time.Since(began), err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan struct{})
		conn := pipe(t, Config{Silence: 5 * time.Second, Write: 2 * time.Second}, func(net.Conn) { <-stop })
		defer close(stop)
		began := time.Now()
		if err := conn.Write([]byte("text")); err == nil || time.Since(began) != 2*time.Second {
			t.Errorf("the write ended after %v: %v", time.Since(began), err)
		}
		began = time.Now()
		if _, err := conn.Read(); CodeOf(err) != contracts.CloseHeartbeat || time.Since(began) != 5*time.Second {
			t.Errorf("the silence ended after %v: %v", time.Since(began), err)
		}
	})
}

type countingConn struct {
	net.Conn
	writes int
}

func (c *countingConn) Write(p []byte) (int, error) { c.writes++; return c.Conn.Write(p) }

// A message is sent in one write, so that messages from two goroutines do not mix. Masking does not
// change the caller's text.
func TestMessageIsOneWrite(t *testing.T) {
	got := make(chan string, 2)
	conn := pipe(t, Config{}, func(server net.Conn) {
		for range 2 {
			text, _ := wsutil.ReadClientText(server)
			got <- string(text)
		}
	})
	counting := &countingConn{Conn: conn.conn}
	conn.conn = counting
	text := []byte("again and again")
	for i := range 2 {
		if err := conn.Write(text); err != nil {
			t.Fatal(err)
		}
		if received := <-got; received != "again and again" || counting.writes != i+1 {
			t.Errorf("%q in %d writes", received, counting.writes)
		}
	}
}

func TestBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := pipe(t, Config{}, frames())
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second+time.Millisecond)
		defer cancel()
		pings := 0
		conn.Beat(ctx, 3*time.Second, func() { pings++ })
		if pings != 3 {
			t.Errorf("%d pings in 10 s", pings)
		}
	})
}

func TestDialFails(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/denied", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			t.Error("the token was not sent")
		}
		w.WriteHeader(http.StatusUnauthorized)
	})
	mux.HandleFunc("/page", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/old", func(w http.ResponseWriter, _ *http.Request) {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_, _ = io.WriteString(conn, "HTTP/1.0 200 OK\r\n\r\nhello\n")
			_ = conn.Close()
		}
	})
	srv := httptest.NewServer(mux)
	defer srv.Close()
	for path, want := range map[string]error{"/denied": StatusError(401), "/page": StatusError(200), "/old": ErrNotSocket} {
		if _, err := Dial(t.Context(), Config{URL: srv.URL + path, Token: "secret"}); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Dial(ctx, Config{URL: srv.URL + "/page"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
