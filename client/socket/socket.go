// Package socket is a WebSocket client that reads and writes whole messages. Handshakes, writes,
// the silence between two frames and message sizes are all bounded. Pings are answered while
// reading. If the other side closes the connection, Read's error contains the close code.
//
// It never retries and does not interpret messages.
package socket

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
)

// Config describes a connection. Only URL is required.
type Config struct {
	URL   string      // ws or wss; http and https are accepted too
	Token string      // sent as a bearer token; default none
	TLS   *tls.Config // default: Go's default configuration

	Handshake time.Duration // timeout for the handshake, including TCP and TLS; default contracts.HelloTimeout
	Silence   time.Duration // longest time without a frame; default contracts.HeartbeatTimeout
	Write     time.Duration // timeout for a write; default contracts.WriteTimeout
	Limit     int64         // maximum bytes in a message; default contracts.LimitServerMessage

	Dial func(ctx context.Context, network, address string) (net.Conn, error) // default: a net.Dialer
}

// Conn is an open WebSocket. One goroutine reads; all other methods are safe for concurrent use.
type Conn struct {
	cfg  Config
	conn net.Conn
	in   *bufio.Reader

	writing sync.Mutex
	mu      sync.Mutex
	silence time.Duration
}

// Dial opens a connection. ctx limits only the handshake. The error is a StatusError if the server
// refused the handshake with an HTTP status, and ErrNotSocket if the response was not a handshake.
func Dial(ctx context.Context, cfg Config) (*Conn, error) {
	cfg.Handshake = cmp.Or(cfg.Handshake, contracts.HelloTimeout)
	cfg.Silence = cmp.Or(cfg.Silence, contracts.HeartbeatTimeout)
	cfg.Write = cmp.Or(cfg.Write, contracts.WriteTimeout)
	cfg.Limit = cmp.Or(cfg.Limit, contracts.LimitServerMessage)
	if rest, ok := strings.CutPrefix(cfg.URL, "http"); ok {
		cfg.URL = "ws" + rest
	}
	ctx, cancel := context.WithTimeout(ctx, cfg.Handshake) // the dialer's own timeout does not cover the handshake
	defer cancel()
	d := ws.Dialer{TLSConfig: cfg.TLS, NetDial: cfg.Dial}
	if cfg.Token != "" {
		d.Header = ws.HandshakeHeaderHTTP(http.Header{"Authorization": {"Bearer " + cfg.Token}})
	}
	conn, early, _, err := d.Dial(ctx, cfg.URL)
	if err != nil {
		return nil, dialError(err)
	}
	if early == nil {
		early = bufio.NewReaderSize(conn, 32<<10)
	}
	return &Conn{cfg: cfg, conn: conn, in: early, silence: cfg.Silence}, nil
}

// limitDiscard is the size of the largest frame that is read and discarded; a longer frame is a
// protocol error.
const limitDiscard = 1 << 30

// Read returns the next message. After a *TooLargeError the connection can still be read; every
// other error ends the connection.
func (c *Conn) Read() ([]byte, error) {
	var message bytes.Buffer
	var kind ws.OpCode // opcode of the fragmented message being read
	var size int64
	for {
		c.Expect(0)
		h, err := ws.ReadHeader(c.in)
		if err != nil {
			return nil, err
		}
		if h.Masked || h.Rsv != 0 || h.Length < 0 || h.Length > limitDiscard || h.OpCode.IsReserved() {
			return nil, ErrProtocol
		}
		if h.OpCode.IsControl() {
			if err := c.control(h); err != nil {
				return nil, err
			}
			continue
		}
		if (h.OpCode == ws.OpContinuation) != (kind != 0) {
			return nil, ErrProtocol
		}
		kind = cmp.Or(kind, h.OpCode)
		var into io.Writer = &message
		if size += h.Length; size > c.cfg.Limit {
			message = bytes.Buffer{}
			into = io.Discard
		}
		if _, err := io.CopyN(into, c.in, h.Length); err != nil {
			return nil, err
		}
		switch {
		case !h.Fin:
		case size > c.cfg.Limit:
			return nil, &TooLargeError{Size: size, Limit: c.cfg.Limit}
		case kind == ws.OpText && !utf8.Valid(message.Bytes()):
			return nil, ErrProtocol
		default:
			return message.Bytes(), nil
		}
	}
}

// control answers pings, and returns a *CloseError for a close frame.
func (c *Conn) control(h ws.Header) error {
	if h.Length > ws.MaxControlFramePayloadSize || !h.Fin {
		return ErrProtocol
	}
	payload := make([]byte, h.Length)
	if _, err := io.ReadFull(c.in, payload); err != nil {
		return err
	}
	switch h.OpCode {
	case ws.OpPing:
		return c.write(ws.NewPongFrame(payload), c.cfg.Write)
	case ws.OpClose:
		code, reason := ws.ParseCloseFrameData(payload)
		if code.Empty() {
			code = ws.StatusNoStatusRcvd
		}
		_ = c.write(ws.NewCloseFrame(ws.NewCloseFrameBody(ws.StatusNormalClosure, "")), contracts.CloseGrace)
		return &CloseError{Code: contracts.CloseCode(code), Reason: reason}
	}
	return nil
}

// Expect sets how long the other side may be silent before its next frame; zero means the
// configured time.
func (c *Conn) Expect(within time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.conn.SetReadDeadline(time.Now().Add(cmp.Or(within, c.silence)))
}

// SetSilence changes how long the other side may be silent, starting with the next frame.
func (c *Conn) SetSilence(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.silence = d
}

// Write sends a text message, in one write.
func (c *Conn) Write(text []byte) error { return c.write(ws.NewTextFrame(text), c.cfg.Write) }

func (c *Conn) write(f ws.Frame, within time.Duration) error {
	whole, err := ws.CompileFrame(ws.MaskFrame(f)) // a copy: the caller may reuse text
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_ = c.conn.SetWriteDeadline(time.Now().Add(within))
	_, err = c.conn.Write(whole)
	return err
}

// Beat calls ping every interval until ctx is done. A jump in the wall clock means that the machine
// was asleep: Beat then pings immediately, and the connection ends unless the other side answers
// soon.
func (c *Conn) Beat(ctx context.Context, interval time.Duration, ping func()) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	last, pinged := time.Now().Round(0), time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := time.Now().Round(0) // the wall clock, which advances during sleep
		slept := now.Sub(last) > contracts.LinkSleepThreshold
		last = now
		if slept {
			c.Expect(contracts.LinkWakeTimeout)
		}
		if slept || time.Since(pinged) >= interval {
			pinged = time.Now()
			ping()
		}
	}
}

// Close sends a close frame and closes the connection.
func (c *Conn) Close() {
	_ = c.write(ws.NewCloseFrame(ws.NewCloseFrameBody(ws.StatusNormalClosure, "")), contracts.CloseGrace)
	c.Abort()
}

// Abort closes the connection without a close frame. It never waits.
func (c *Conn) Abort() { _ = c.conn.Close() }

var errHandshake = []error{ws.ErrMalformedResponse, ws.ErrHandshakeBadProtocol, ws.ErrHandshakeBadUpgrade, ws.ErrHandshakeBadConnection, ws.ErrHandshakeBadSecAccept}

func dialError(err error) error {
	var status ws.StatusError
	var rejected *ws.ConnectionRejectedError
	switch {
	case errors.As(err, &status):
		return StatusError(status)
	case errors.As(err, &rejected):
		return errors.Join(ErrNotSocket, err)
	}
	for _, odd := range errHandshake {
		if errors.Is(err, odd) {
			return errors.Join(ErrNotSocket, err)
		}
	}
	return err
}
