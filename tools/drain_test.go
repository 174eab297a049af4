package tools

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bullpen-office/bullpen/contracts"
)

// oneCall is a peer that makes one call and disconnects.
type oneCall struct {
	mcp.Connection
	call     *jsonrpc.Request // nil once the call has been read
	refusing error            // returned by every write
}

func (c *oneCall) Read(context.Context) (jsonrpc.Message, error) {
	if call := c.call; call != nil {
		c.call = nil
		return call, nil
	}
	return nil, io.EOF
}

func (c *oneCall) Write(context.Context, jsonrpc.Message) error { return c.refusing }
func (c *oneCall) Close() error                                 { return nil }

// The end of the input is delayed until pending answers have been written, can no longer be
// written, or have timed out.
func TestInputEndsAfterTheAnswers(t *testing.T) {
	id, err := jsonrpc.MakeID("1")
	if err != nil {
		t.Fatal(err)
	}
	answer := func(t *drainConn) { _ = t.Write(context.Background(), &jsonrpc.Response{ID: id}) }
	for name, c := range map[string]struct {
		refusing error
		end      func(*drainConn)
	}{
		"answered":    {end: answer},
		"not written": {end: answer, refusing: errors.New("broken pipe")},
		"closed":      {end: func(t *drainConn) { _ = t.Close() }},
		"forgotten":   {end: func(*drainConn) { time.Sleep(contracts.ToolDrain) }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn := newDrainConn(&oneCall{call: &jsonrpc.Request{ID: id, Method: "initialize"}, refusing: c.refusing})
				if m, err := conn.Read(t.Context()); m == nil || err != nil {
					t.Fatal(m, err)
				}
				ended := make(chan error, 1)
				go func() {
					_, err := conn.Read(t.Context())
					ended <- err
				}()
				synctest.Wait()
				if len(ended) > 0 {
					t.Fatal("the input ended before the call was answered")
				}
				c.end(conn)
				if err := <-ended; !errors.Is(err, io.EOF) {
					t.Error(err)
				}
			})
		})
	}
}
