// Package e2e_test tests the whole server, together with real agent programs, through its public API.
package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
)

// message is any JSON message, decoded.
type message map[string]any

func (m message) payload() message {
	p, _ := m["payload"].(map[string]any)
	return p
}

func (m message) str(key string) string { s, _ := m[key].(string); return s }

func (m message) seq() uint64 { n, _ := m["seq"].(float64); return uint64(n) }

// at returns the value at a dotted path, e.g. payload.decision.options.0.
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

// viewer is a plain client of the world protocol.
type viewer struct {
	conn  *socket.Conn
	close func()
	sent  int
}

// beatID is the id of heartbeats; next skips their responses.
const beatID = "beat"

// dial connects to a server's /ws/world.
func dial(addr string) (*viewer, error) { return dialAs(addr, "") }

// dialAs connects with a token, or without one if token is empty. The viewer sends heartbeats until
// it is closed (W18).
func dialAs(addr, token string) (*viewer, error) {
	conn, err := socket.Dial(context.Background(), socket.Config{URL: "ws://" + addr + "/ws/world", Token: token, Handshake: testTimeout})
	if err != nil {
		return nil, err
	}
	gone := make(chan struct{})
	go func() { // not Conn.Beat, which would mistake a busy machine for one that was asleep
		tick := time.NewTicker(contracts.HeartbeatInterval)
		defer tick.Stop()
		for {
			select {
			case <-gone:
				return
			case <-tick.C:
				_ = conn.Write([]byte(`{"type":"ping","id":"` + beatID + `","ts":1,"v":1,"payload":{}}`))
			}
		}
	}()
	return &viewer{conn: conn, close: sync.OnceFunc(func() {
		close(gone)
		conn.Abort()
	})}, nil
}

// send writes a raw message.
func (v *viewer) send(m message) error {
	b, err := json.Marshal(map[string]any(m))
	if err != nil {
		return err
	}
	if err := v.conn.Write(b); err != nil {
		return fmt.Errorf("%w: %w", errCut, err)
	}
	return nil
}

// say wraps a payload in an envelope and sends it.
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

// next reads one message. It fails if none arrives in time.
func (v *viewer) next(in time.Duration) (m message, err error) {
	v.conn.SetSilence(in)
	for m == nil || m.str("type") == "pong" && m.at("payload.in_reply_to") == beatID {
		b, err := v.conn.Read()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errCut, err)
		}
		m = nil
		if err := json.Unmarshal(b, &m); err != nil {
			return nil, fmt.Errorf("the server sent %q: %w", b, err)
		}
	}
	return m, nil
}

// enter sends hello, with a cursor if there is one, subscribes to everything, and returns the
// hello_ack.
func (v *viewer) enter(name string, resume message) (message, error) {
	hello := message{"client": map[string]any{"name": name}, "supported_versions": []int{1}}
	if resume != nil {
		hello["resume"] = map[string]any(resume)
	}
	if err := v.say("hello", "", hello); err != nil {
		return nil, err
	}
	ack, err := v.next(testTimeout)
	if err != nil {
		return nil, err
	}
	if ack.str("type") != "hello_ack" {
		return nil, fmt.Errorf("the response to hello is %v", ack)
	}
	return ack, v.say("subscribe", "", message{"scene_id": "cozy_office_v0", "channels": map[string]any{
		"events": true, "snapshots": true, "goals": true, "chat": true, "agent_stream": true, "hud": true,
	}})
}

// closeCode returns the close code that the server sent, or 0 if the server did not close the
// connection.
func closeCode(err error) int {
	var closed *socket.CloseError
	if errors.As(err, &closed) {
		return int(closed.Code)
	}
	return 0
}
