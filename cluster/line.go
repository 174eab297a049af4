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

// ErrNoWriter means that no node writes the office now. The request was not carried out.
var ErrNoWriter = errors.New("no node writes the office at the moment; try again")

// ErrUnknown means that no answer came from the node that writes. It may have carried out the
// request.
var ErrUnknown = errors.New("the node that writes the office did not answer")

// Headers of a request and its answer.
const (
	nameHeader    = "Bullpen-Request"
	timeoutHeader = "Bullpen-Timeout" // milliseconds
	statusHeader  = "Bullpen-Status"

	statusOK      = "ok"
	statusRefused = "refused" // the body says why
	statusMoved   = "moved"   // this node no longer writes; the request was not carried out
)

// Handler carries out a request on the node that writes.
type Handler func(ctx context.Context, name string, body []byte) ([]byte, error)

// Line carries requests to the node that writes an office.
type Line struct {
	Conn   *nats.Conn
	Office string
	Lease  *Lease
	Log    *slog.Logger
}

func (l *Line) subject(token string) string { return "bullpen." + l.Office + ".w." + token }

// Serve answers requests to the holder of the lease with this token until ctx ends. It returns once
// the requests in progress are answered.
func (l *Line) Serve(ctx context.Context, token string, handle Handler) error {
	var running sync.WaitGroup
	defer running.Wait()
	places := make(chan struct{}, contracts.LimitForwarded)
	sub, err := l.Conn.Subscribe(l.subject(token), func(m *nats.Msg) {
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

func (l *Line) answer(ctx context.Context, m *nats.Msg, handle Handler) {
	if ctx.Err() != nil {
		l.respond(m, statusMoved, nil)
		return
	}
	if ms, err := strconv.ParseInt(m.Header.Get(timeoutHeader), 10, 64); err == nil && ms > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
		defer cancel()
	}
	body, err := handle(ctx, m.Header.Get(nameHeader), m.Data)
	if err != nil {
		l.respond(m, statusRefused, []byte(err.Error()))
		return
	}
	l.respond(m, statusOK, body)
}

func (l *Line) respond(m *nats.Msg, status string, body []byte) {
	answer := nats.NewMsg(m.Reply)
	answer.Header.Set(statusHeader, status)
	answer.Data = body
	if err := l.Conn.PublishMsg(answer); err != nil {
		l.Log.Warn("answer to another node not sent", "error", err)
	}
}

// Ask sends a request to the node that writes, waits for one if there is none, and returns its
// answer. After ErrNoWriter the request was not carried out; after ErrUnknown it may have been.
func (l *Line) Ask(ctx context.Context, name string, body []byte) ([]byte, error) {
	if int64(len(body))+headerRoom > l.Conn.MaxPayload() {
		return nil, fmt.Errorf("a request of %d bytes is too large for the cluster (max_payload %d)", len(body), l.Conn.MaxPayload())
	}
	ctx, cancel := context.WithTimeout(ctx, contracts.ForwardTimeout)
	defer cancel()
	for {
		holder, ok, changed := l.Lease.Holder()
		if ok {
			answer, err := l.send(ctx, holder.Token, name, body)
			if !errors.Is(err, ErrNoWriter) {
				return answer, err
			}
		}
		select {
		case <-changed:
		case <-time.After(contracts.JetStreamPause): // the holder may not have subscribed yet
		case <-ctx.Done():
			return nil, ErrNoWriter
		}
	}
}

// headerRoom is more than the headers of a request need.
const headerRoom = 512

func (l *Line) send(ctx context.Context, token, name string, body []byte) ([]byte, error) {
	m := nats.NewMsg(l.subject(token))
	m.Header.Set(nameHeader, name)
	if deadline, ok := ctx.Deadline(); ok {
		m.Header.Set(timeoutHeader, strconv.FormatInt(time.Until(deadline).Milliseconds(), 10))
	}
	m.Data = body
	answer, err := l.Conn.RequestMsgWithContext(ctx, m)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return nil, ErrNoWriter
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	switch answer.Header.Get(statusHeader) {
	case statusOK:
		return answer.Data, nil
	case statusMoved:
		return nil, ErrNoWriter
	}
	return nil, errors.New(string(answer.Data))
}
