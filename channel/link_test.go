package channel

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"github.com/bullpen-office/bullpen/contracts"
)

// Whoever is superseded leaves the session to the other: two that take it from each
// other would end each other's turns for ever.
func TestSupersededLinkStaysAway(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		if _, err := ws.Upgrade(conn); err != nil {
			return
		}
		_, _ = wsutil.ReadClientText(conn)
		_ = wsutil.WriteServerText(conn, []byte(`{"type":"hello_ack"}`))
		_ = ws.WriteFrame(conn, ws.NewCloseFrame(ws.NewCloseFrameBody(ws.StatusCode(contracts.CloseReplaced), "taken over")))
		_, _ = wsutil.ReadClientText(conn)
	}()
	newLink(Config{URL: "ws://" + ln.Addr().String(), Session: "dev::chat", Log: slog.New(slog.DiscardHandler)}, func(context.Context, frame) {}).run(t.Context())
}

// writes counts how often it is written to.
type writes struct {
	net.Conn
	n int
}

func (w *writes) Write(p []byte) (int, error)      { w.n++; return len(p), nil }
func (w *writes) SetWriteDeadline(time.Time) error { return nil }

// A frame is one write: replies and pongs come from several goroutines.
func TestFrameIsOneWrite(t *testing.T) {
	var w writes
	if err := write(&w, frame{Type: "reply", Content: "text"}); err != nil || w.n != 1 {
		t.Errorf("%d writes, %v", w.n, err)
	}
}
