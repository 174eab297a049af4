package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bullpen-office/bullpen/contracts"
)

// errNoWriter means that the office currently has no writer. The request had no effect.
var errNoWriter = errors.New("the office has no writer at the moment; try again")

// errUnknown means that a request was sent to the writer but not answered.
var errUnknown = errors.New("the office's writer did not answer")

// errMoved is returned by a handler whose node is no longer the writer. The request may be sent
// again: it was not carried out, or it is safe to repeat.
var errMoved = errors.New("another node has taken over as the office's writer")

// Headers of a request and its answer.
const (
	nameHeader    = "Bullpen-Request"
	timeoutHeader = "Bullpen-Timeout" // milliseconds
	statusHeader  = "Bullpen-Status"

	statusOK     = "ok"
	statusFailed = "failed" // the body contains the reason
	statusMoved  = "moved"
)

// handler carries out a request on the writer.
type handler func(ctx context.Context, name string, body []byte) ([]byte, error)

// line carries requests to an office's writer.
type line struct {
	conn   *nats.Conn
	prefix string // start of every subject; the writer's token follows
	self   Holder // this node
	log    *slog.Logger
}

// serve answers the requests that are addressed to the process with the given token, until ctx is
// done. It then waits until the requests in progress have been answered.
func (l *line) serve(ctx context.Context, token string, handle handler) error {
	var running sync.WaitGroup
	defer running.Wait()
	places := make(chan struct{}, contracts.LimitForwarded)
	sub, err := l.conn.Subscribe(l.prefix+token, func(m *nats.Msg) {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			l.respond(m, statusMoved, nil)
			return
		}
		running.Go(func() {
			defer func() { <-places }()
			l.answer(ctx, m, handle)
		})
	})
	if err != nil {
		return fmt.Errorf("receive requests from other nodes: %w", err)
	}
	defer sub.Unsubscribe()
	<-ctx.Done()
	return nil
}

func (l *line) answer(ctx context.Context, m *nats.Msg, handle handler) {
	if ctx.Err() != nil {
		l.respond(m, statusMoved, nil)
		return
	}
	if err := checkCompatible(senderOf(m.Header), l.self); err != nil {
		l.respond(m, statusFailed, []byte(err.Error()))
		return
	}
	if ms, err := strconv.ParseInt(m.Header.Get(timeoutHeader), 10, 64); err == nil && ms > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
		defer cancel()
	}
	body, err := handle(ctx, m.Header.Get(nameHeader), m.Data)
	switch {
	case errors.Is(err, errMoved):
		l.respond(m, statusMoved, nil)
	case err != nil:
		l.respond(m, statusFailed, []byte(err.Error()))
	default:
		l.respond(m, statusOK, body)
	}
}

func (l *line) respond(m *nats.Msg, status string, body []byte) {
	answer := nats.NewMsg(m.Reply)
	answer.Header.Set(statusHeader, status)
	answer.Data = body
	if err := l.conn.PublishMsg(answer); err != nil {
		l.log.Warn("answer to another node not sent", "error", err)
	}
}

// headerRoom is an upper bound on the size of a request's headers, in bytes.
const headerRoom = 512

// send sends a request to a process and returns its answer. errNoWriter means that the request had
// no effect, and errUnknown that it may have had one.
func (l *line) send(ctx context.Context, token, name string, body []byte) ([]byte, error) {
	if int64(len(body))+headerRoom > l.conn.MaxPayload() {
		return nil, fmt.Errorf("a request of %d bytes is too large for the cluster: raise max_payload on the NATS servers (now %d bytes)", len(body), l.conn.MaxPayload())
	}
	m := nats.NewMsg(l.prefix + token)
	m.Header.Set(nameHeader, name)
	l.self.setHeaders(m.Header)
	if deadline, ok := ctx.Deadline(); ok {
		m.Header.Set(timeoutHeader, strconv.FormatInt(time.Until(deadline).Milliseconds(), 10))
	}
	m.Data = body
	answer, err := l.conn.RequestMsgWithContext(ctx, m)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return nil, errNoWriter
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errUnknown, err)
	}
	switch answer.Header.Get(statusHeader) {
	case statusOK:
		return answer.Data, nil
	case statusMoved:
		return nil, errNoWriter
	}
	return nil, errors.New(string(answer.Data))
}
