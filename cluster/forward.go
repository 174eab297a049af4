package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/office"
)

// request is a request to the office's writer.
type request struct {
	name    string
	timeout time.Duration
	once    bool                      // do not resend the request if the outcome is unknown; other requests must be safe to repeat
	encode  func() ([]byte, error)    // called when the request is first sent
	local   func(*office.Office) bool // executes the request on this node; returns false if another node must execute it
}

// forward calls r.local if this node is the writer, and otherwise sends r to the writer. It retries
// until r is answered or times out. The answer is nil if r.local executed r.
func (n *Node) forward(ctx context.Context, r request) (answer []byte, err error) {
	limit, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	var body []byte
	unanswered := errNoWriter
	for {
		holder, ok, changed := n.writerLease.Holder()
		if o := n.writer(); o != nil {
			if r.local(o) {
				return nil, nil
			}
		} else if err = n.checkPermitted(holder, ok); err != nil {
			return nil, err
		} else if ok && holder.Token != n.token {
			if body == nil {
				if body, err = r.encode(); err != nil {
					return nil, err
				}
			}
			answer, err = n.send(limit, holder.Token, changed, r, body)
			switch {
			case errors.Is(err, errUnknown) && !r.once:
				unanswered = err
			case !errors.Is(err, errNoWriter):
				return answer, err
			}
		}
		if !waitFor(limit, changed) {
			if errors.Is(unanswered, errNoWriter) {
				return nil, n.noWriter()
			}
			return nil, unanswered
		}
	}
}

// send sends a request to the process with the given token. If the request may be sent more than
// once, send stops waiting when another node becomes the writer.
func (n *Node) send(ctx context.Context, token string, changed <-chan struct{}, r request, body []byte) ([]byte, error) {
	if r.once {
		return n.line.send(ctx, token, r.name, body)
	}
	ctx, cancel := context.WithTimeout(ctx, contracts.ForwardAttempt)
	defer cancel()
	answered := make(chan struct{})
	defer close(answered)
	go func() {
		select {
		case <-changed:
			cancel()
		case <-answered:
		}
	}()
	return n.line.send(ctx, token, r.name, body)
}

// waitFor waits until the writer may have changed. It returns false if ctx is done first.
func waitFor(ctx context.Context, changed <-chan struct{}) bool {
	select {
	case <-changed:
	case <-time.After(contracts.JetStreamPause): // the holder may not have subscribed yet
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}
