package gate

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
)

// serveReal runs a hardened http.Server behind the gate on a real socket and returns its address.
func serveReal(t *testing.T) (addr string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(Config{Addr: ln.Addr()})
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: g.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, _, _, err := ws.UpgradeHTTP(r, w); err == nil {
			conn.Close()
		}
	}))}
	Harden(srv)
	go func() { _ = srv.Serve(ln) }()
	t.Cleanup(func() { srv.Close() })
	return ln.Addr().String()
}

// S1: a WebSocket handshake is accepted only from Bullpen's own page.
func TestHandshake(t *testing.T) {
	addr := serveReal(t)
	dial := func(origin, host string) error {
		d := ws.Dialer{Host: host}
		if origin != "" {
			d.Header = ws.HandshakeHeaderHTTP{"Origin": {origin}}
		}
		conn, _, _, err := d.Dial(t.Context(), "ws://"+addr+"/ws/world")
		if err == nil {
			conn.Close()
		}
		return err
	}
	if err := dial("http://"+addr, ""); err != nil {
		t.Errorf("our own page: %v", err)
	}
	if err := dial("", ""); err != nil {
		t.Errorf("a program: %v", err)
	}
	for _, origin := range []string{"https://evil.example", "null", "http://" + addr + ".evil.example"} {
		if err := dial(origin, ""); err != ws.StatusError(403) {
			t.Errorf("origin %s: %v", origin, err)
		}
	}
	if err := dial("http://evil.example", "evil.example"); err != ws.StatusError(421) {
		t.Errorf("rebinding: %v", err)
	}
}

func TestOversizeHeader(t *testing.T) {
	addr := serveReal(t)
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: "+addr+"\r\nX: "+strings.Repeat("a", contracts.LimitHeader+8192)+"\r\n\r\n")
	answer := make([]byte, 12)
	if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "HTTP/1.1 431" {
		t.Errorf("%q %v", answer, err)
	}
}

func TestWatchReportsRevokedAndExpired(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		closed := make(chan string, 4)
		g, err := New(Config{Addr: loopback, DataDir: dir, OnRevoked: func(_, says string) { closed <- says }})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go g.Watch(ctx)
		short, _, err := g.tokens.Create(Token{Role: contracts.AccessOperator, Browser: true, Created: time.Now(), Expires: time.Now().Add(time.Minute)})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if got := <-closed; got != "The session "+short.ID+" has expired" || time.Since(start) > time.Minute+contracts.RevokeCheck {
			t.Errorf("%q reported after %v", got, time.Since(start))
		}
	})
}

func TestWatchReportsTheOwnersToken(t *testing.T) {
	dir := t.TempDir()
	path := OwnerTokenPath(dir)
	synctest.Test(t, func(t *testing.T) {
		reported, ended := make(chan string, 4), make(chan string, 4)
		g, err := New(Config{
			Addr:      loopback,
			DataDir:   dir,
			OnRevoked: func(_, says string) { reported <- says },
			OnEnded:   func(id string) { ended <- id },
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go g.Watch(ctx)
		synctest.Wait() // until Watch has read the token
		replace := func(modified time.Duration) {
			if err := os.WriteFile(path, []byte(newSecret()), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, time.Time{}, time.Now().Add(modified)); err != nil {
				t.Fatal(err)
			}
		}
		replace(time.Hour)
		if got := <-reported; got != "The owner token was replaced" {
			t.Error(got)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if got := <-reported; got != "The owner token was revoked" {
			t.Error(got)
		}
		replace(2 * time.Hour)
		time.Sleep(2 * contracts.RevokeCheck)
		if len(reported) > 0 {
			t.Errorf("a new token was reported: %s", <-reported)
		}
		// A new token may also replace one that was never seen, so it ends the owner's connections.
		if len(ended) != 3 {
			t.Errorf("connections were ended %d times, want 3", len(ended))
		}
		for range len(ended) {
			if id := <-ended; id != OwnerID {
				t.Errorf("ended the connections of %q", id)
			}
		}
	})
}

// After a request with both Content-Length and Transfer-Encoding, the connection is closed, so that
// the rest is never read as another request.
func TestAmbiguousLengthClosesTheConnection(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(Config{Addr: ln.Addr()})
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: g.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))}
	go func() { _ = srv.Serve(ln) }()
	defer srv.Close()
	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	host := conn.RemoteAddr().String()
	smuggled := "GET /smuggled HTTP/1.1\r\nHost: " + host + "\r\n\r\n"
	if _, err := io.WriteString(conn, "POST /x HTTP/1.1\r\nHost: "+host+"\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"+smuggled); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(30 * time.Second))
	answer, err := io.ReadAll(conn)
	if n := strings.Count(string(answer), "HTTP/1.1 "); err != nil || n != 1 || !strings.Contains(string(answer), "Connection: close") {
		t.Errorf("%d answers, %v:\n%s", n, err, answer)
	}
}
