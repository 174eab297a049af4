package tools

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bullpen-office/bullpen/contracts"
)

// Drain returns a transport whose connections delay the end of their input until every call that
// was read has been answered, but for at most contracts.ToolDrain. The SDK drops unanswered calls
// when the input ends.
func Drain(t mcp.Transport) mcp.Transport { return drainTransport{t} }

type drainTransport struct{ mcp.Transport }

func (t drainTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return newDrainConn(conn), nil
}

// drainConn is a connection that keeps track of unanswered calls.
type drainConn struct {
	mcp.Connection

	mu      sync.Mutex
	open    map[jsonrpc.ID]struct{} // calls without an answer
	changed chan struct{}           // receives a signal when a call is removed from open
}

func newDrainConn(conn mcp.Connection) *drainConn {
	return &drainConn{Connection: conn, open: map[jsonrpc.ID]struct{}{}, changed: make(chan struct{}, 1)}
}

func (c *drainConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if err != nil {
		c.drain()
	} else if req, ok := m.(*jsonrpc.Request); ok {
		c.called(req)
	}
	return m, err
}

func (c *drainConn) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if err != nil {
		c.release()
	} else if answer, ok := m.(*jsonrpc.Response); ok {
		c.answered(answer.ID)
	}
	return err
}

func (c *drainConn) Close() error {
	c.release()
	return c.Connection.Close()
}

func (c *drainConn) called(req *jsonrpc.Request) {
	if !req.IsCall() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[req.ID] = struct{}{}
}

func (c *drainConn) answered(id jsonrpc.ID) {
	c.mu.Lock()
	delete(c.open, id)
	c.mu.Unlock()
	c.signal()
}

// release makes drain return, because the pending answers can no longer be delivered.
func (c *drainConn) release() {
	c.mu.Lock()
	clear(c.open)
	c.mu.Unlock()
	c.signal()
}

func (c *drainConn) signal() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// drain waits up to contracts.ToolDrain for every call to be answered.
func (c *drainConn) drain() {
	late := time.After(contracts.ToolDrain)
	for c.waiting() {
		select {
		case <-c.changed:
		case <-late:
			return
		}
	}
}

func (c *drainConn) waiting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) > 0
}
