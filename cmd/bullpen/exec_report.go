package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/ui"
	"github.com/bullpen-office/bullpen/model"
)

// report is an event to send to the office.
type report struct {
	Name    string `json:"name"`
	Payload any    `json:"payload"`
	ID      string `json:"id"` // idempotency key
	Agent   string `json:"agent,omitzero"`
	Run     string `json:"run_id,omitzero"`
	Session string `json:"session_id,omitzero"`
	Source  string `json:"source,omitzero"`
	TS      int64  `json:"ts"`
}

func (x *execution) event(kind string, payload any) report {
	return x.named(ui.NameOf(kind), payload)
}

func (x *execution) named(name string, payload any) report {
	return report{
		Name: name, Payload: payload, ID: newSuffix(), TS: time.Now().UnixMilli(),
		Agent: x.who.agent, Run: x.who.run, Session: x.who.session, Source: x.who.source,
	}
}

// reporter sends events to the office in the background. Reporting never blocks and never fails;
// events that do not fit in the queue are dropped and counted.
type reporter struct {
	find func() (*client, error)
	end  time.Duration // how long close waits for the queue to drain

	mu      sync.Mutex
	client  *client // nil while the office is unreachable
	queue   []report
	dropped int
	guess   bool  // the agent's name is a guess based on the command; the token may be bound to another agent
	unnamed bool  // the token is bound to another agent, so events do not name an agent
	refusal error // the last refusal
	connErr error // why the office cannot be reached

	wake   chan struct{} // capacity 1
	closed chan struct{}
	ended  chan struct{}
}

func newReporter(end time.Duration, find func() (*client, error)) *reporter {
	r := &reporter{find: find, end: end, wake: make(chan struct{}, 1), closed: make(chan struct{}), ended: make(chan struct{})}
	r.client, r.connErr = r.look()
	return r
}

// look finds the office and returns a client with short timeouts.
func (r *reporter) look() (*client, error) {
	c, err := r.find()
	if err != nil {
		return nil, err
	}
	return c.with(max(contracts.ExecConnect, r.end/4), max(contracts.ExecTimeout, r.end)), nil
}

func (r *reporter) start() { go r.run() }

// office returns the client for the office, or nil if the office has not been found.
func (r *reporter) office() *client {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.client
}

func (r *reporter) enqueue(e report) {
	r.mu.Lock()
	if len(r.queue) < contracts.LimitExecQueue {
		r.queue = append(r.queue, e)
	} else {
		r.dropped++
	}
	r.mu.Unlock()
	r.nudge()
}

// enqueueFinal queues an event even if the queue is full.
func (r *reporter) enqueueFinal(e report) {
	r.mu.Lock()
	r.queue = append(r.queue, e)
	r.mu.Unlock()
	r.nudge()
}

func (r *reporter) nudge() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

var errSlow = errors.New("the office is slow; wait longer with --flush")

// close waits a limited time for the queue to drain and returns a message about unsent events, or
// "".
func (r *reporter) close() (lost string) {
	close(r.closed)
	select {
	case <-r.ended:
	case <-time.After(r.end):
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch n := len(r.queue) + r.dropped; {
	case r.refusal != nil:
		return fmt.Sprintf("the office rejected events: %v", r.refusal)
	case n > 0 && n == r.dropped:
		return fmt.Sprintf("%s not sent: the queue is full (%d)", model.Counted(n, "event was", "events were"), contracts.LimitExecQueue)
	case n > 0:
		return fmt.Sprintf("%s not sent: %v", model.Counted(n, "event was", "events were"), cmp.Or(r.connErr, errSlow))
	}
	return ""
}

// run sends queued events. While the office is unreachable, it retries periodically, and once more
// at the end.
func (r *reporter) run() {
	defer close(r.ended)
	for {
		wake, retry := r.wake, (<-chan time.Time)(nil)
		if !r.drain() {
			wake, retry = nil, time.After(contracts.ExecRetry)
		}
		select {
		case <-r.closed:
			r.drain()
			return
		case <-wake:
		case <-retry:
		}
	}
}

func (r *reporter) waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.queue)
}

// drain sends all queued events. It returns false if the office is unreachable.
func (r *reporter) drain() bool {
	for r.waiting() > 0 {
		if !r.send() {
			return false
		}
	}
	return true
}

// send sends as many events as fit in one request. It returns false if the office is unreachable.
func (r *reporter) send() bool {
	r.mu.Lock()
	batch := r.queue[:min(len(r.queue), contracts.LimitExecBatch)]
	for i := range batch {
		if r.unnamed {
			batch[i].Agent = ""
		}
	}
	c := r.client
	r.mu.Unlock()
	var err error
	if c == nil {
		c, err = r.look()
	}
	if err == nil {
		err = post(c, batch)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil:
		r.client, r.connErr = c, nil
	case r.guess && !r.unnamed && hasCode(err, exitDenied):
		r.client, r.unnamed = c, true
		return true
	case errors.Is(err, errBusy):
		r.client, r.connErr = c, err
		return false
	case final(err):
		r.client, r.refusal = c, err // a retry would be refused again
	default:
		r.client, r.connErr = nil, err
		return false
	}
	r.queue = r.queue[len(batch):]
	return true
}

// post sends a batch in one request. It returns the first refusal as an error.
func post(c *client, batch []report) error {
	body, err := json.Marshal(batch, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return usageError("encode events: %w", err)
	}
	var answer struct {
		Results []contracts.Refusal `json:"results"` // accepted events have no code
	}
	if err := c.post(context.Background(), "/v1/events", typeJSON, string(body), "", &answer); err != nil {
		return err
	}
	for _, refusal := range answer.Results {
		if refusal.Code != "" {
			return refusalError(refusal)
		}
	}
	return nil
}
