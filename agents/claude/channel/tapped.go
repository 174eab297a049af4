package channel

import (
	"context"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// settleMost is how long the end of the input waits for answers.
const settleMost = 30 * time.Second

// tapped is a connection that filters out permission requests, and whose input ends only after
// everything that was read has been answered: the SDK drops what it has not answered by then.
type tapped struct {
	mcp.Connection
	asked func(permissionRequest)

	mu      sync.Mutex
	open    map[jsonrpc.ID]struct{} // calls without an answer
	changed chan struct{}           // holds one signal: open shrank
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

// release stops waiting for answers, because no one can read them any more.
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

// settle waits until every call has its answer.
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
