package channel

import (
	"context"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// settleMost limits how long the end of the input is delayed for pending answers.
const settleMost = 30 * time.Second

// tapped is a connection that passes permission requests to the function asked, not to the SDK. It
// delays the end of its input, by at most settleMost, until every call that was read has been
// answered, because the SDK drops unanswered calls when the input ends.
type tapped struct {
	mcp.Connection
	asked func(permissionRequest)

	mu      sync.Mutex
	open    map[jsonrpc.ID]struct{} // calls without an answer
	changed chan struct{}           // receives a signal when a call is removed from open
}

func newTapped(conn mcp.Connection, asked func(permissionRequest)) *tapped {
	return &tapped{Connection: conn, asked: asked, open: map[jsonrpc.ID]struct{}{}, changed: make(chan struct{}, 1)}
}

func (t *tapped) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		m, err := t.Connection.Read(ctx)
		if err != nil {
			t.settle()
			return m, err
		}
		req, ok := m.(*jsonrpc.Request)
		if !ok {
			return m, nil
		}
		if req.Method != "notifications/claude/channel/permission_request" {
			t.called(req)
			return m, nil
		}
		var p permissionRequest
		if json.Unmarshal(req.Params, &p) == nil && p.RequestID != "" {
			t.asked(p)
		}
	}
}

func (t *tapped) Write(ctx context.Context, m jsonrpc.Message) error {
	err := t.Connection.Write(ctx, m)
	if err != nil {
		t.release()
	} else if answer, ok := m.(*jsonrpc.Response); ok {
		t.answered(answer.ID)
	}
	return err
}

func (t *tapped) Close() error {
	t.release()
	return t.Connection.Close()
}

func (t *tapped) called(req *jsonrpc.Request) {
	if !req.IsCall() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open[req.ID] = struct{}{}
}

func (t *tapped) answered(id jsonrpc.ID) {
	t.mu.Lock()
	delete(t.open, id)
	t.mu.Unlock()
	t.signal()
}

// release makes settle return, because the pending answers can no longer be delivered.
func (t *tapped) release() {
	t.mu.Lock()
	clear(t.open)
	t.mu.Unlock()
	t.signal()
}

func (t *tapped) signal() {
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

// settle waits up to settleMost for every call to be answered.
func (t *tapped) settle() {
	late := time.After(settleMost)
	for t.waiting() {
		select {
		case <-t.changed:
		case <-late:
			return
		}
	}
}

func (t *tapped) waiting() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open) > 0
}
