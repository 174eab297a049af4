// Package e2e_test drives the whole server through its public doors, as a person
// with a WebSocket client would.
package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"github.com/bullpen-office/bullpen/contracts"
)

// message is any message as decoded JSON.
type message map[string]any

func (m message) payload() message {
	p, _ := m["payload"].(map[string]any)
	return p
}

func (m message) str(key string) string { s, _ := m[key].(string); return s }

func (m message) seq() uint64 { n, _ := m["seq"].(float64); return uint64(n) }

// at follows a dotted path, e.g. payload.decision.options.0.
func (m message) at(path string) any {
	var v any = map[string]any(m)
	for part := range strings.SplitSeq(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// viewer is a plain WebSocket client.
type viewer struct {
	conn    net.Conn
	writing sync.Mutex
	close   func()
	sent    int
}

// newViewer gives signs of life until it is closed, as the server wants of whoever
// only waits (W18).
func newViewer(conn net.Conn) *viewer {
	gone := make(chan struct{})
	v := &viewer{conn: conn, close: sync.OnceFunc(func() {
		close(gone)
		_ = conn.Close()
	})}
	go func() {
		tick := time.NewTicker(contracts.HeartbeatInterval)
		defer tick.Stop()
		for {
			select {
			case <-gone:
				return
			case <-tick.C:
				_ = v.write(ws.OpPing, nil)
			}
		}
	}()
	return v
}

// dial connects to a server's /ws/world.
func dial(addr string) (*viewer, error) { return dialAs(addr, "") }

// dialAs connects with a credential, or without.
func dialAs(addr, token string) (*viewer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	dialer := ws.Dialer{}
	if token != "" {
		dialer.Header = ws.HandshakeHeaderHTTP{"Authorization": {"Bearer " + token}}
	}
	conn, buffered, _, err := dialer.Dial(ctx, "ws://"+addr+"/ws/world")
	if err != nil {
		return nil, err
	}
	if buffered != nil {
		return nil, fmt.Errorf("the server spoke before hello")
	}
	return newViewer(conn), nil
}

func (v *viewer) write(op ws.OpCode, b []byte) error {
	v.writing.Lock()
	defer v.writing.Unlock()
	return wsutil.WriteClientMessage(v.conn, op, b)
}

// send writes a message as it is.
func (v *viewer) send(m message) error {
	b, err := json.Marshal(map[string]any(m))
	if err != nil {
		return err
	}
	if err := v.write(ws.OpText, b); err != nil {
		return fmt.Errorf("%w: %w", errCut, err)
	}
	return nil
}

// say wraps a payload into an envelope and sends it.
func (v *viewer) say(kind, id string, payload message) error {
	if id == "" {
		v.sent++
		id = fmt.Sprintf("%s_%d", kind, v.sent)
	}
	return v.send(message{"type": kind, "id": id, "ts": time.Now().UnixMilli(), "v": 1, "payload": map[string]any(payload)})
}

func (v *viewer) command(id, name string, data message) error {
	return v.say("command", id, message{"name": name, "data": map[string]any(data)})
}

// next reads one message; it fails when none comes in time.
func (v *viewer) next(in time.Duration) (message, error) {
	if err := v.conn.SetReadDeadline(time.Now().Add(in)); err != nil {
		return nil, err
	}
	b, err := v.read()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errCut, err)
	}
	var m message
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("the server sent %q: %w", b, err)
	}
	return m, nil
}

// read is the next text. A ping is answered, a goodbye is not: whoever says it may
// be gone by then, and the reason would be lost.
func (v *viewer) read() ([]byte, error) {
	for {
		got, err := wsutil.ReadServerMessage(v.conn, nil)
		if err != nil {
			return nil, err
		}
		switch last := got[len(got)-1]; last.OpCode {
		case ws.OpPing:
			if err := v.write(ws.OpPong, last.Payload); err != nil {
				return nil, err
			}
		case ws.OpPong:
		case ws.OpClose:
			code, reason := ws.ParseCloseFrameData(last.Payload)
			return nil, wsutil.ClosedError{Code: code, Reason: reason}
		default:
			return last.Payload, nil
		}
	}
}

// enter says hello, with a cursor if there is one, subscribes to everything, and
// returns the hello_ack.
func (v *viewer) enter(name string, resume message) (message, error) {
	hello := message{"client": map[string]any{"name": name}, "supported_versions": []int{1}}
	if resume != nil {
		hello["resume"] = map[string]any(resume)
	}
	if err := v.say("hello", "", hello); err != nil {
		return nil, err
	}
	ack, err := v.next(patience)
	if err != nil {
		return nil, err
	}
	if ack.str("type") != "hello_ack" {
		return nil, fmt.Errorf("hello was answered by %v", ack)
	}
	return ack, v.say("subscribe", "", message{"scene_id": "cozy_office_v0", "channels": map[string]any{
		"events": true, "snapshots": true, "goals": true, "chat": true, "agent_stream": true, "hud": true,
	}})
}

// closeCode is the code with which the server closed, 0 when it did not.
func closeCode(err error) int {
	var closed wsutil.ClosedError
	if errors.As(err, &closed) {
		return int(closed.Code)
	}
	return 0
}
