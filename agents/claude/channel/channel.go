// Package channel turns a running Claude Code session into an agent of the office: it extends the
// office's MCP server (package tools) on standard input and output, so that messages from the
// bridge reach the session, and the session's replies and permission requests reach the bridge.
//
// It connects to the bridge as soon as Claude Code is listening. It retries failed and lost
// connections with delays that grow from about one second to about half a minute, and stops if
// reconnecting cannot succeed. It passes each incoming message to Claude Code once and never
// repeats it. If the model replies while no message is waiting for a reply, the reply tool returns
// an error. The channel never confirms the dialog that asks a person to admit a channel, and never
// answers a permission request itself.
package channel

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bullpen-office/bullpen/tools"
)

// Config configures a Channel.
type Config struct {
	URL     string      // the bridge's address, such as ws://127.0.0.1:4777/bridge
	Token   string      // the agent's token
	TLS     *tls.Config // nil means the default certificate checks
	Session string      // agentId::chatId
	Program string      // id of this process, for traces
	PID     int

	Office    tools.Office  // runs all tools except reply
	Transport mcp.Transport // default: standard input and output
	Log       *slog.Logger  // default: no logging; must not write to standard output
	Version   string
}

// Channel is one session's connection to the office.
type Channel struct {
	cfg       Config
	bridge    *link
	claude    *wire
	ready     chan struct{} // closed once Claude Code is listening
	readyOnce sync.Once

	mu      sync.Mutex
	message string // id of the message being answered
}

// Run serves until ctx is done, Claude Code disconnects, or the bridge cannot be used. The error is
// a *contracts.Refusal if the office permanently rejects the token or the session, and a
// *trust.Error if the bridge's TLS certificate is not trusted.
func Run(ctx context.Context, cfg Config) error {
	if cfg.URL == "" || cfg.Session == "" {
		return errors.New("missing bridge address or session: set SYNTHESIS_WS_URL and SYNTHESIS_OPENCLAW_SESSION, or use --url and --session")
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	if cfg.Transport == nil {
		cfg.Transport = &mcp.StdioTransport{}
	}
	c := &Channel{cfg: cfg, ready: make(chan struct{})}
	c.bridge = newLink(cfg, c.fromBridge)
	c.claude = &wire{Transport: tools.Drain(cfg.Transport), asked: c.permissionAsked}
	serving, cancel := context.WithCancel(ctx)
	defer cancel()
	var linkErr error
	var dialling sync.WaitGroup
	dialling.Go(func() {
		select {
		case <-c.ready: // until Claude Code is listening, messages would be lost
			if linkErr = c.bridge.run(serving); linkErr != nil {
				cancel()
			}
		case <-serving.Done():
		}
	})
	err := c.server().Run(serving, c.claude)
	cancel()
	dialling.Wait()
	switch {
	case linkErr != nil:
		return linkErr
	case err != nil && ctx.Err() == nil:
		return fmt.Errorf("serve Claude Code: %w", err)
	}
	return nil
}

func (c *Channel) fromBridge(ctx context.Context, f frame) {
	switch f.Type {
	case "inbound":
		c.mu.Lock()
		c.message = f.Meta["message_id"]
		c.mu.Unlock()
		if err := c.claude.notify(ctx, "notifications/claude/channel", inbound{Content: f.Content, Meta: f.Meta}); err != nil {
			c.cfg.Log.Warn("message did not reach Claude Code", "error", err)
		}
	case "permission":
		if err := c.claude.notify(ctx, "notifications/claude/channel/permission", permission{RequestID: f.RequestID, Behavior: f.Behavior}); err != nil {
			c.cfg.Log.Warn("permission answer did not reach Claude Code", "error", err)
		}
	case "error":
		c.cfg.Log.Warn("bridge rejected a frame", "code", f.Code, "message", f.Message)
	}
}

type inbound struct {
	Content string            `json:"content"`
	Meta    map[string]string `json:"meta,omitzero"`
}

type permission struct {
	RequestID string `json:"request_id"`
	Behavior  string `json:"behavior"`
}

// permissionAsked forwards Claude Code's permission request to the office.
func (c *Channel) permissionAsked(p permissionRequest) {
	if !c.bridge.send(frame{Type: "permission_request", RequestID: p.RequestID, Tool: p.Tool, Description: p.Description, Preview: p.Preview}) {
		c.cfg.Log.Warn("permission request did not reach the office; answer it in the terminal", "tool", p.Tool)
	}
}
