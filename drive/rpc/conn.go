// Package rpc implements bidirectional JSON-RPC 2.0 connections to agent programs, with one message
// per line.
//
// It tolerates whatever a program sends: lines that are not messages are skipped, responses that
// match no call are ignored, and requests beyond contracts.LimitACPRequests at a time are refused.
package rpc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/hud"
)

// ErrClosed means that the program closed its output, so no answer can arrive.
var ErrClosed = errors.New("the connection is closed")

// Handler receives messages from the program, one at a time and in order.
type Handler interface {
	Notify(method string, params jsontext.Value)
	// Request returns a function that answers the request. The function runs concurrently with later
	// messages; its context is cancelled when the program withdraws the request or the connection
	// closes.
	Request(method string, params jsontext.Value) func(ctx context.Context) (any, error)
}

// Conn is a connection. Calls are answered only while Serve is running.
type Conn struct {
	in      io.Reader
	handler Handler
	log     *slog.Logger

	write sync.Mutex
	out   io.Writer

	mu      sync.Mutex
	last    int64                         // id of the last call
	calls   map[int64]pendingCall         // by id
	serving map[string]context.CancelFunc // requests from the program, by id
	closed  bool
}

// New returns a connection to a program.
func New(in io.Reader, out io.Writer, handler Handler, log *slog.Logger) *Conn {
	return &Conn{in: in, out: out, handler: handler, log: log, calls: map[int64]pendingCall{}, serving: map[string]context.CancelFunc{}}
}

// pendingCall is a call that is waiting for a response.
type pendingCall struct {
	answer  chan message
	arrived func()
}

type message struct {
	Version string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id,omitzero"`
	Method  string         `json:"method,omitzero"`
	Params  jsontext.Value `json:"params,omitzero"`
	Result  jsontext.Value `json:"result,omitzero"`
	Error   *Error         `json:"error,omitzero"`
}

// Serve reads messages until the program closes its output, and returns when all requests have been
// answered or abandoned.
func (c *Conn) Serve() {
	ctx, cancel := context.WithCancel(context.Background())
	var answering sync.WaitGroup
	defer answering.Wait()
	defer c.close()
	defer cancel()
	in := bufio.NewReaderSize(c.in, 64<<10)
	for {
		line, err := process.ReadLine(in)
		if len(line) > 0 {
			c.receive(ctx, &answering, line)
		} else if err == nil {
			c.log.Warn("skipping a line from the agent program", "reason", "line too long")
		}
		if err != nil {
			return
		}
	}
}

func (c *Conn) receive(ctx context.Context, answering *sync.WaitGroup, line []byte) {
	var m message
	if _, err := hud.Decode(line, &m); err != nil {
		c.log.Debug("skipping a line from the agent program", "bytes", len(line), "reason", err)
		return
	}
	switch {
	case m.Method == "":
		c.handleResponse(m)
	case m.Method == methodCancel:
		c.withdraw(m.Params)
	case m.ID == nil:
		c.handler.Notify(m.Method, m.Params)
	default:
		c.request(ctx, answering, m)
	}
}

// methodCancel is the method of a notification that withdraws a request.
const methodCancel = "$/cancel_request"

func (c *Conn) withdraw(params jsontext.Value) {
	var in struct {
		ID jsontext.Value `json:"requestId"`
	}
	_, _ = hud.Decode(params, &in)
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.serving[string(in.ID)]; cancel != nil {
		cancel()
	}
}

// request starts answering a request from the program.
func (c *Conn) request(ctx context.Context, answering *sync.WaitGroup, m message) {
	ctx, cancel := context.WithCancel(ctx)
	id := string(m.ID)
	c.mu.Lock()
	_, twice := c.serving[id]
	full := len(c.serving) >= contracts.LimitACPRequests
	if !twice && !full {
		c.serving[id] = cancel
	}
	c.mu.Unlock()
	if twice || full {
		cancel()
		_ = c.send(message{ID: m.ID, Error: &Error{Code: CodeInvalid, Message: "too many concurrent requests, or the id is already in use"}})
		return
	}
	answer := c.handler.Request(m.Method, m.Params)
	answering.Go(func() {
		result, err := answer(ctx)
		cancel()
		c.mu.Lock()
		delete(c.serving, id)
		c.mu.Unlock()
		_ = c.send(reply(m.ID, result, err)) // if it cannot be sent, the program is gone
	})
}

func reply(id jsontext.Value, result any, err error) message {
	if err == nil {
		var b []byte
		if b, err = json.Marshal(result, jsontext.AllowInvalidUTF8(true)); err == nil {
			return message{ID: id, Result: b}
		}
	}
	var failed *Error
	if !errors.As(err, &failed) {
		failed = &Error{Code: CodeInternal, Message: err.Error()}
	}
	return message{ID: id, Error: failed}
}

// handleResponse passes a response to the call that is waiting for it.
func (c *Conn) handleResponse(m message) {
	var id int64
	if json.Unmarshal(m.ID, &id) != nil {
		return
	}
	c.mu.Lock()
	call, ok := c.calls[id]
	delete(c.calls, id)
	c.mu.Unlock()
	if !ok {
		return
	}
	if call.arrived != nil {
		call.arrived()
	}
	call.answer <- m
}

// Call sends a request and returns the result. The error is the program's *Error, ErrClosed, ctx's
// error, or the reason the request could not be sent. arrived, unless nil, is called when the
// answer arrives, before later messages are handled.
func (c *Conn) Call(ctx context.Context, method string, params any, arrived func()) (jsontext.Value, error) {
	answer := make(chan message, 1)
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil, ErrClosed
	}
	c.last++
	id := c.last
	c.calls[id] = pendingCall{answer, arrived}
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.calls, id)
	}()
	if err := c.sendRequest(hud.Value(id), method, params); err != nil {
		return nil, err
	}
	select {
	case m, open := <-answer:
		switch {
		case !open:
			return nil, ErrClosed
		case m.Error != nil:
			return nil, m.Error
		}
		return m.Result, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Notify sends a notification.
func (c *Conn) Notify(method string, params any) error { return c.sendRequest(nil, method, params) }

// sendRequest sends a request, or a notification if id is nil.
func (c *Conn) sendRequest(id jsontext.Value, method string, params any) error {
	b, err := json.Marshal(params, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return fmt.Errorf("encode %s: %w", method, err)
	}
	return c.send(message{ID: id, Method: method, Params: b})
}

func (c *Conn) send(m message) error {
	m.Version = "2.0"
	b, err := json.Marshal(m, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	c.write.Lock()
	defer c.write.Unlock()
	if _, err := c.out.Write(append(b, '\n')); err != nil {
		return fmt.Errorf("%w: the program is no longer reading its input: %w", ErrClosed, err)
	}
	return nil
}

// close ends the pending calls.
func (c *Conn) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for id, call := range c.calls {
		delete(c.calls, id)
		close(call.answer)
	}
}
