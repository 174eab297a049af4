package outpost

import (
	"context"
	"errors"
)

// Health is the state of the connection to the office.
type Health struct {
	Office    string `json:"office"`        // URL
	Name      string `json:"name,omitzero"` // of the outpost
	Connected bool   `json:"connected"`     // false while facts are stored
	Spooled   int    `json:"spooled"`       // entries that wait to be sent
	Bytes     int64  `json:"spooled_bytes"` // of these entries
	Problem   string `json:"problem,omitzero"`
}

func (o *Office) health() Health {
	h := Health{}
	h.Spooled, h.Bytes = o.spool.size()
	o.mu.Lock()
	defer o.mu.Unlock()
	h.Name, h.Connected = o.state.Outpost, o.up
	if o.problem != nil {
		h.Problem = o.problem.Error()
	}
	return h
}

// online returns the life in which facts are sent directly; ok is false while they are stored.
func (o *Office) online() (life string, ok bool) {
	n, _ := o.spool.size()
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.life, o.up && n == 0
}

// awaitOnline waits until facts are sent directly.
func (o *Office) awaitOnline(ctx context.Context) (life string, err error) {
	for {
		o.mu.Lock()
		changed := o.changed
		o.mu.Unlock()
		if life, ok := o.online(); ok {
			return life, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// offline notes that a request failed.
func (o *Office) offline(err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	if o.setProblem(err) {
		o.log.Warn("office not reachable; reports are stored until it is", "error", err)
	}
}

// setProblem notes why the office cannot be reached, nil if it can. It reports whether the connection
// was lost or restored.
func (o *Office) setProblem(problem error) (changed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	changed = o.up != (problem == nil) || o.problem == nil && problem != nil
	if problem == nil && o.problem != nil {
		o.log.Info("connected to the office again")
	}
	o.up, o.problem = problem == nil, problem
	close(o.changed)
	o.changed = make(chan struct{})
	return changed
}
