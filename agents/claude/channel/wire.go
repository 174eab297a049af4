package channel

import (
	"context"
	"errors"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// wire is the transport to Claude Code. It adds the channel notifications, which the SDK does not
// support.
type wire struct {
	mcp.Transport
	asked func(permissionRequest)

	mu   sync.Mutex
	conn mcp.Connection
}

// permissionRequest is a permission request that Claude Code sends through a channel.
type permissionRequest struct {
	RequestID   string `json:"request_id"`
	Tool        string `json:"tool_name"`
	Description string `json:"description"`
	Preview     string `json:"input_preview"`
}

// Connect connects the transport and stores the connection, so that notify can write to it as well.
func (w *wire) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := w.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.conn = conn
	w.mu.Unlock()
	return &tapped{conn, w.asked}, nil
}

// tapped is a connection that passes permission requests to its asked callback, not to the SDK.
type tapped struct {
	mcp.Connection
	asked func(permissionRequest)
}

func (t *tapped) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		m, err := t.Connection.Read(ctx)
		req, ok := m.(*jsonrpc.Request)
		if err != nil || !ok || req.Method != "notifications/claude/channel/permission_request" {
			return m, err
		}
		var p permissionRequest
		if json.Unmarshal(req.Params, &p) == nil && p.RequestID != "" {
			t.asked(p)
		}
	}
}

// notify sends a notification to Claude Code; it returns an error if Connect has not succeeded yet.
func (w *wire) notify(ctx context.Context, method string, params any) error {
	w.mu.Lock()
	conn := w.conn
	w.mu.Unlock()
	if conn == nil {
		return errors.New("not connected: Claude Code has not initialized the channel yet")
	}
	body, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return conn.Write(ctx, &jsonrpc.Request{Method: method, Params: body})
}
