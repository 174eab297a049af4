package hub

import (
	"bytes"
	"context"
	"crypto/tls"
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
	"github.com/prometheus/client_golang/prometheus"

	"github.com/bullpen-office/bullpen/contracts"
)

// TestTLSViewersHaveTheirOwnWriter checks that viewers on TLS connections, which cannot be written
// to without blocking, receive the same messages as other viewers.
func TestTLSViewersHaveTheirOwnWriter(t *testing.T) {
	r := newRig(t, overTCP)
	defer r.stop()
	srv := httptest.NewTLSServer(http.HandlerFunc(r.hub.ServeWorld))
	defer srv.Close()
	r.dial = func() (net.Conn, error) {
		return tls.Dial("tcp", srv.Listener.Addr().String(), &tls.Config{InsecureSkipVerify: true})
	}
	c := r.connect(t)
	defer c.drained()
	start := c.join()
	for range 200 {
		r.append(note("x"))
	}
	if err := checkOrder(c, start.Seq, 200); err != nil {
		t.Error(err)
	}
	c.submit()
	c.expect(contracts.TypeAck)
}

func TestPlainRequestIsToldToUpgrade(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		for _, path := range []string{"/ws/world", "/ws/hud"} {
			res := r.get(t, path)
			body, _ := io.ReadAll(res.Body)
			res.Body.Close()
			if res.StatusCode != http.StatusUpgradeRequired || !strings.Contains(string(body), "WebSocket") {
				t.Errorf("%s: %d %s", path, res.StatusCode, body)
			}
		}
	})
}

func TestMetricsCountErrorsClosesAndResumes(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	virtual(t, func(t *testing.T, r *rig) {
		c := r.connect(t)
		c.hello(helloResume(99, ""))
		c.write("nonsense")
		c.expect(contracts.TypeError)
		c.write(`{"type":"hello","id":"h","ts":1,"v":9,"payload":{}}`)
		c.awaitClose()
		families, err := reg.Gather()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, f := range families {
			for _, m := range f.GetMetric() {
				name := strings.TrimPrefix(f.GetName(), "bullpen_hub_")
				for _, l := range m.GetLabel() {
					name += " " + l.GetValue()
				}
				got[name] = m.GetCounter().GetValue()
			}
		}
		for _, name := range []string{
			"errors_total VALIDATION_FAILED", "errors_total PROTOCOL_VERSION_UNSUPPORTED", "closes_total 4002", "resumes_total SERVER_RESTARTED",
		} {
			if got[name] != 1 {
				t.Errorf("%s is %v", name, got[name])
			}
		}
		if got["deliveries_total"] == 0 || got["writes_total"] == 0 || got["sent_bytes_total"] == 0 {
			t.Errorf("no writes were counted: %v", got)
		}
	}, withConfig(func(c *Config) { c.Metrics = reg }))
}

// bytesConn is a connection that can only be read from.
type bytesConn struct {
	net.Conn
	r io.Reader
}

func (c bytesConn) Read(p []byte) (int, error) { return c.r.Read(p) }

// FuzzFrameReader checks that no input makes the reader panic, exceed its limit or return text that
// is not UTF-8.
func FuzzFrameReader(f *testing.F) {
	f.Add(masked(true, ws.OpText, []byte(`{"type":"ping"}`)))
	f.Add(append(masked(false, ws.OpText, []byte("a")), masked(true, ws.OpContinuation, []byte("b"))...))
	f.Add(masked(true, ws.OpClose, []byte{3, 0xe8}))
	f.Add([]byte{0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		in := frameReader{conn: bytesConn{r: bytes.NewReader(b)}, limit: 1 << 10}
		for {
			msg, err := in.message(func() {}, func(ws.OpCode, []byte) {})
			if len(msg) > 1<<10 {
				t.Fatalf("%d bytes read", len(msg))
			}
			if err == nil {
				readHead(msg)
			}
			in.release(msg)
			var ce *closeError
			if err != nil && !errors.Is(err, io.EOF) && !errors.As(err, &ce) {
				t.Fatal(err)
			}
			if err != nil {
				return
			}
		}
	})
}

// TestShutdownCutsUnresponsiveViewers checks that a viewer that neither reads nor answers cannot
// delay the shutdown.
func TestShutdownCutsUnresponsiveViewers(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		conn, _ := r.handshake(t, "/ws/world")
		defer conn.Close()
		synctest.Wait() // the handshake is answered before the hub counts the viewer
		if n := r.hub.Health().Sockets; n != 1 {
			t.Fatalf("%d sockets", n)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := r.hub.Shutdown(ctx); err == nil {
			t.Error("Shutdown did not wait")
		}
		if n := r.hub.Health().Sockets; n != 0 {
			t.Errorf("%d sockets are left", n)
		}
	})
}
