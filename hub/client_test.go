package hub

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
)

// message is one decoded message from the server.
type message struct {
	Type    contracts.MessageType `json:"type"`
	ID      string                `json:"id"`
	TS      int64                 `json:"ts"`
	V       int                   `json:"v"`
	Payload jsontext.Value        `json:"payload"`
	raw     string

	Seq       uint64 `json:"-"`
	InReplyTo string `json:"-"`
	Code      string `json:"-"`
	Note      string `json:"-"`
	closed    ws.StatusCode
}

// client is a viewer that reads continuously in the background.
type client struct {
	t    testing.TB
	conn net.Conn
	got  chan message
	sent int

	prefix string // prefix of its message ids
}

func (r *rig) connect(t testing.TB) *client { return r.connectTo(t, "/ws/world") }

func (r *rig) connectTo(t testing.TB, path string) *client {
	t.Helper()
	conn, rd := r.handshake(t, path)
	c := &client{t: t, conn: conn, got: make(chan message, 1<<16)}
	go c.read(rd)
	return c
}

// handshake opens a WebSocket. The caller must read from the returned reader, which may already
// hold bytes from the connection.
func (r *rig) handshake(t testing.TB, path string) (net.Conn, io.Reader) {
	t.Helper()
	d := ws.Dialer{NetDial: func(context.Context, string, string) (net.Conn, error) { return r.dial() }}
	conn, br, _, err := d.Dial(context.Background(), "ws://127.0.0.1"+path)
	if err != nil {
		t.Fatal(err)
	}
	if br == nil {
		br = bufio.NewReader(conn)
	}
	return conn, br
}

func (c *client) read(r io.Reader) {
	defer close(c.got)
	defer c.conn.Close()
	for {
		f, err := ws.ReadFrame(r)
		if err != nil {
			return
		}
		switch f.Header.OpCode {
		case ws.OpText:
			c.got <- decodeMessage(c.t, f.Payload)
		case ws.OpClose:
			code, _ := ws.ParseCloseFrameData(f.Payload)
			c.got <- message{Type: "close", closed: code}
			ws.WriteFrame(c.conn, ws.MaskFrame(ws.NewCloseFrame(ws.NewCloseFrameBody(code, ""))))
			return
		case ws.OpPing:
			ws.WriteFrame(c.conn, ws.MaskFrame(ws.NewPongFrame(f.Payload)))
		case ws.OpPong:
			c.got <- message{Type: "ws_pong", raw: string(f.Payload)}
		}
	}
}

func decodeMessage(t testing.TB, b []byte) message {
	m := message{raw: string(b)}
	if err := json.Unmarshal(b, &m); err != nil {
		t.Errorf("message %s: %v", b, err)
	}
	var p struct {
		Seq       uint64 `json:"seq"`
		InReplyTo string `json:"in_reply_to"`
		Code      string `json:"code"`
		Note      string `json:"note"`
		Text      string `json:"text"`
	}
	if len(m.Payload) > 0 {
		if err := json.Unmarshal(m.Payload, &p); err != nil {
			t.Errorf("payload %s: %v", m.Payload, err)
		}
	}
	m.Seq, m.InReplyTo, m.Code, m.Note = p.Seq, p.InReplyTo, p.Code, p.Note+p.Text
	if m.Type == contracts.TypeStream {
		m.Seq = 0
	}
	return m
}

// write sends raw bytes as one text message.
func (c *client) write(msg string) {
	ws.WriteFrame(c.conn, ws.MaskFrame(ws.NewTextFrame([]byte(msg))))
}

func (c *client) send(t contracts.MessageType, payload string) string {
	c.sent++
	id := c.prefix + string(t) + "_" + strconv.Itoa(c.sent)
	c.write(`{"type":"` + string(t) + `","id":"` + id + `","ts":1700000000000,"v":1,"payload":` + payload + `}`)
	return id
}

func (c *client) command(name, data string) string {
	return c.send(contracts.TypeCommand, `{"name":"`+name+`","data":`+data+`}`)
}

func (c *client) submit() string { return c.command("submit_request", `{"text":"do it"}`) }

// next returns the next message; the test fails if no message arrives.
func (c *client) next() message {
	c.t.Helper()
	m, ok := c.poll(3 * time.Minute)
	if !ok {
		c.t.Fatal("no message arrived")
	}
	return m
}

func (c *client) poll(d time.Duration) (message, bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case m, ok := <-c.got:
		return m, ok
	case <-timer.C:
		return message{}, false
	}
}

// expect returns the next message; the test fails if the message has a different type.
func (c *client) expect(t contracts.MessageType) message {
	c.t.Helper()
	m := c.next()
	if m.Type != t {
		c.t.Fatalf("got %s %s, want %s", m.Type, m.raw, t)
	}
	return m
}

// await returns the next message of a type and skips all others.
func (c *client) await(t contracts.MessageType) message {
	c.t.Helper()
	for {
		if m := c.next(); m.Type == t {
			return m
		}
	}
}

// awaitClose skips messages until the server closes the connection, and returns the close code.
func (c *client) awaitClose() contracts.CloseCode {
	c.t.Helper()
	return contracts.CloseCode(c.await("close").closed)
}

const helloPlain = `{"client":{"name":"test"},"supported_versions":[1]}`

func (c *client) hello(payload string) contracts.HelloAck {
	c.t.Helper()
	c.send(contracts.TypeHello, payload)
	var ack contracts.HelloAck
	if err := json.Unmarshal(c.expect(contracts.TypeHelloAck).Payload, &ack); err != nil {
		c.t.Fatal(err)
	}
	return ack
}

const everything = `{"events":true,"goals":true,"chat":true,"hud":true,"ui":true}`

func (c *client) subscribe(channels string) {
	c.send(contracts.TypeSubscribe, `{"scene_id":"`+contracts.DefaultScene+`","channels":`+channels+`}`)
}

// join sends hello, subscribes to all durable channels and returns the snapshot.
func (c *client) join() message {
	c.t.Helper()
	c.hello(helloPlain)
	c.subscribe(everything)
	return c.expect(contracts.TypeSnapshot)
}

func (c *client) close() { c.conn.Close() }

// drained closes the connection and waits until the reader has ended.
func (c *client) drained() error {
	c.conn.Close()
	for {
		select {
		case _, ok := <-c.got:
			if !ok {
				return nil
			}
		case <-time.After(time.Minute):
			return errors.New("the client is still reading")
		}
	}
}
