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
)

// report is one event on its way to the office.
type report struct {
	Name    string `json:"name"`
	Payload any    `json:"payload"`
	ID      string `json:"id"` // sent twice, it counts once
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

// reporter brings events to the office behind the back of a command. Telling
// never waits and never fails; what does not fit in the queue is counted.
type reporter struct {
	find func() (*client, error)
	end  time.Duration // how long the end waits

	mu      sync.Mutex
	client  *client // nil while there is no office
	queue   []report
	dropped int
	guess   bool  // the agent is called like the command: the token may speak for another
	unnamed bool  // it does: agents are left out
	refusal error // the last no of the office
	away    error // why it is not there

	wake   chan struct{} // holds one
	closed chan struct{}
	ended  chan struct{}
}

func newReporter(end time.Duration, find func() (*client, error)) *reporter {
	r := &reporter{find: find, end: end, wake: make(chan struct{}, 1), closed: make(chan struct{}), ended: make(chan struct{})}
	r.client, r.away = r.look()
	return r
}

// look finds the office, and gives up soon on one that cannot be reached.
func (r *reporter) look() (*client, error) {
	c, err := r.find()
	if err != nil {
		return nil, err
	}
	return c.with(max(contracts.ExecConnect, r.end/4), max(contracts.ExecPatience, r.end)), nil
}

func (r *reporter) start() { go r.run() }

// office is the office as far as it is known.
func (r *reporter) office() *client {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.client
}

func (r *reporter) tell(e report) {
	r.mu.Lock()
	if len(r.queue) < contracts.LimitExecQueue {
		r.queue = append(r.queue, e)
	} else {
		r.dropped++
	}
	r.mu.Unlock()
	r.nudge()
}

// last tells an event that must not be left out.
func (r *reporter) last(e report) {
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

var errSlow = errors.New("the office is slow to take them; --flush waits longer")

// close waits a moment for what is still to be told, and says what was not.
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
		return fmt.Sprintf("the office did not take what it was told: %v", r.refusal)
	case n > 0 && n == r.dropped:
		return fmt.Sprintf("%d event(s) were not told: %d at once are the most that wait", n, contracts.LimitExecQueue)
	case n > 0:
		return fmt.Sprintf("%d event(s) were not told: %v", n, cmp.Or(r.away, errSlow))
	}
	return ""
}

// run tells what waits. While the office is away it is tried now and then; at the
// end it is tried once more.
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

// drain tells everything that waits. It reports whether the office took it.
func (r *reporter) drain() bool {
	for r.waiting() > 0 {
		if !r.send() {
			return false
		}
	}
	return true
}

// send tells what waits, as far as one request holds it. It reports whether the
// office is there.
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
		r.client, r.away = c, nil
	case r.guess && !r.unnamed && hasCode(err, exitDenied):
		r.client, r.unnamed = c, true
		return true
	case errors.Is(err, errBusy):
		r.client, r.away = c, err
		return false
	case final(err):
		r.client, r.refusal = c, err // it would refuse it again
	default:
		r.client, r.away = nil, err
		return false
	}
	r.queue = r.queue[len(batch):]
	return true
}

// post tells a batch in one request.
func post(c *client, batch []report) error {
	body, err := json.Marshal(batch, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return usageError("encode events: %w", err)
	}
	var answer struct {
		Results []contracts.Refusal `json:"results"` // without a code where it was taken
	}
	if err := c.post(context.Background(), "/v1/events", typeJSON, string(body), "", &answer); err != nil {
		return err
	}
	for _, no := range answer.Results {
		if no.Code != "" {
			return refusalError(c.base, "an event", no)
		}
	}
	return nil
}
