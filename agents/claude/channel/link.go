package channel

import (
	"context"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/trust"
)

// frame is the union of all bridge messages that a channel sends or receives.
type frame struct {
	Type            string              `json:"type"`
	OpenclawSession string              `json:"openclaw_session,omitzero"`
	ClaudeSession   string              `json:"claude_session,omitzero"`
	PID             int                 `json:"pid,omitzero"`
	Content         string              `json:"content"`
	Final           *bool               `json:"final,omitzero"`
	MessageID       string              `json:"message_id,omitzero"`
	Meta            map[string]string   `json:"meta,omitzero"`
	RequestID       string              `json:"request_id,omitzero"`
	Tool            string              `json:"tool_name,omitzero"`
	Description     string              `json:"description,omitzero"`
	Preview         string              `json:"input_preview,omitzero"`
	Behavior        string              `json:"behavior,omitzero"`
	Code            contracts.ErrorCode `json:"code,omitzero"`
	Message         string              `json:"message,omitzero"`
}

// writer sends messages, one per Write; it is safe for concurrent use.
type writer interface{ Write(text []byte) error }

// link is the connection to the bridge; it reconnects when the connection is lost.
type link struct {
	cfg    Config
	handle func(context.Context, frame)

	mu   sync.Mutex
	conn writer // nil while disconnected
}

func newLink(cfg Config, handle func(context.Context, frame)) *link {
	return &link{cfg: cfg, handle: handle}
}

// run keeps the link connected until ctx is done. It returns an error only if reconnecting cannot
// succeed.
func (l *link) run(ctx context.Context) error {
	var redial backoff.Backoff
	for ctx.Err() == nil {
		greeted, err := l.session(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if refusal := refusalOf(l.cfg, err); refusal != nil {
			return refusal
		}
		if why := trust.Explain(err, l.cfg.URL); why != nil {
			return why
		}
		if greeted {
			redial.Reset()
		}
		wait := redial.Next()
		l.cfg.Log.Info("cannot reach the bridge; reconnecting", "after", wait, "error", err)
		_ = backoff.Sleep(ctx, wait)
	}
	return nil
}

// session runs one connection from the handshake to its end; greeted reports whether the handshake
// succeeded. The bridge sends pings; the connection ends after three ping intervals of silence.
func (l *link) session(ctx context.Context) (greeted bool, err error) {
	conn, err := socket.Dial(ctx, socket.Config{URL: l.cfg.URL, Token: l.cfg.Token, TLS: l.cfg.TLS, Silence: 3 * contracts.BridgePing})
	if err != nil {
		return false, err
	}
	stop := context.AfterFunc(ctx, conn.Abort)
	defer stop()
	defer conn.Abort()
	defer l.use(nil)
	hello := frame{Type: "hello", OpenclawSession: l.cfg.Session, ClaudeSession: l.cfg.Program, PID: l.cfg.PID}
	if err := write(conn, hello); err != nil {
		return false, err
	}
	for {
		body, err := conn.Read()
		if err != nil {
			return greeted, err
		}
		var f frame
		if err := json.Unmarshal(body, &f); err != nil {
			return greeted, fmt.Errorf("invalid frame from the bridge: %w", err)
		}
		switch f.Type {
		case "hello_ack":
			greeted = true
			l.use(conn)
		case "ping":
			if err := write(conn, frame{Type: "pong"}); err != nil {
				return greeted, err
			}
		case "error":
			if !greeted {
				return false, &contracts.Refusal{Code: f.Code, Message: f.Message}
			}
			l.handle(ctx, f)
		default:
			l.handle(ctx, f)
		}
	}
}

func (l *link) use(conn writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn = conn
}

// send writes a frame to the bridge. It returns false if the bridge is not connected or the write
// fails.
func (l *link) send(f frame) bool {
	l.mu.Lock()
	conn := l.conn
	l.mu.Unlock()
	return conn != nil && write(conn, f) == nil
}

func write(conn writer, f frame) error {
	body, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return conn.Write(body)
}
