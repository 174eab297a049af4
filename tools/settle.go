package tools

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bullpen-office/bullpen/contracts"
)

// Settle returns a transport whose connections delay the end of their input, for at most
// contracts.ToolSettle, until every call that was read has been answered. The SDK drops unanswered
// calls when the input ends.
func Settle(t mcp.Transport) mcp.Transport { return settling{t} }

type settling struct{ mcp.Transport }

func (s settling) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := s.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return newSettled(conn), nil
}

// settled is a connection that keeps track of unanswered calls.
type settled struct {
	mcp.Connection

	mu      sync.Mutex
	open    map[jsonrpc.ID]struct{} // calls without an answer
	changed chan struct{}           // receives a signal when a call is removed from open
}

func newSettled(conn mcp.Connection) *settled {
	return &settled{Connection: conn, open: map[jsonrpc.ID]struct{}{}, changed: make(chan struct{}, 1)}
}

func (t *settled) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := t.Connection.Read(ctx)
	if err != nil {
		t.settle()
	} else if req, ok := m.(*jsonrpc.Request); ok {
		t.called(req)
	}
	return m, err
}

func (t *settled) Write(ctx context.Context, m jsonrpc.Message) error {
	err := t.Connection.Write(ctx, m)
	if err != nil {
		t.release()
	} else if answer, ok := m.(*jsonrpc.Response); ok {
		t.answered(answer.ID)
	}
	return err
}

func (t *settled) Close() error {
	t.release()
	return t.Connection.Close()
}

func (t *settled) called(req *jsonrpc.Request) {
	if !req.IsCall() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open[req.ID] = struct{}{}
}

func (t *settled) answered(id jsonrpc.ID) {
	t.mu.Lock()
	delete(t.open, id)
	t.mu.Unlock()
	t.signal()
}

// release makes settle return, because the pending answers can no longer be delivered.
func (t *settled) release() {
	t.mu.Lock()
	clear(t.open)
	t.mu.Unlock()
	t.signal()
}

func (t *settled) signal() {
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

// settle waits up to contracts.ToolSettle for every call to be answered.
func (t *settled) settle() {
	late := time.After(contracts.ToolSettle)
	for t.waiting() {
		select {
		case <-t.changed:
		case <-late:
			return
		}
	}
}

func (t *settled) waiting() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open) > 0
}
