package view

import (
	"context"
	"fmt"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// answers tracks the callers that are waiting for decisions.
type answers struct {
	mu      sync.Mutex
	waiting map[string]*waiters
}

// waiters are the callers that are waiting for one decision.
type waiters struct {
	ended chan struct{}
	count int
}

// Await returns the decision once it is resolved or cancelled. It returns an error if the decision
// does not exist or if ctx is done first.
func (v *View) Await(ctx context.Context, id string) (contracts.Decision, error) {
	w := v.answers.join(id)
	defer v.answers.leave(id, w)
	for {
		d, _, ok, err := v.Decision(ctx, id)
		switch {
		case err != nil:
			return contracts.Decision{}, err
		case !ok:
			return contracts.Decision{}, contracts.Refuse(contracts.CodeNotFound, "no question %q", id)
		case d.Status != contracts.DecisionOpen:
			return d, nil
		}
		select {
		case <-w.ended:
		case <-ctx.Done():
			return d, ctx.Err()
		}
	}
}

// Waiting returns the number of decisions that have at least one waiter.
func (v *View) Waiting() int {
	v.answers.mu.Lock()
	defer v.answers.mu.Unlock()
	return len(v.answers.waiting)
}

// Decision returns a decision, with its outcome if it was resolved or cancelled. An open decision
// is returned in its current state if the world contains it, otherwise as it was asked. live
// reports whether the world contains the decision, and ok whether the decision exists.
func (v *View) Decision(ctx context.Context, id string) (d contracts.Decision, live, ok bool, err error) {
	if !contracts.HasPrefix(id, contracts.PrefixDecision) {
		return d, false, false, nil
	}
	asked, err := v.event(ctx, string(contracts.PrefixDecision)+"/"+id)
	if err != nil || asked == nil || asked.Decision == nil {
		return d, false, false, err
	}
	d = *asked.Decision
	ended, err := v.event(ctx, "res/"+id)
	if err != nil {
		return contracts.Decision{}, false, false, err
	}
	v.Look(func(w *world.World) {
		if row := w.Decision(id); row != nil {
			live = true
			if ended == nil {
				d = *row
			}
		}
	})
	switch {
	case ended == nil:
	case ended.Name == contracts.EventDecisionResolved:
		d.Status, d.Choice, d.Choices, d.Note, d.RuleID = contracts.DecisionResolved, ended.Choice, ended.Choices, ended.Note, ended.RuleID
	default:
		d.Status, d.Reason = contracts.DecisionCancelled, ended.Reason
	}
	return d, live, true, nil
}

// event returns the event with the given key, or nil if there is none. It reads the ledger, because
// the world may have dropped the event.
func (v *View) event(ctx context.Context, key string) (*contracts.Event, error) {
	rec, ok, err := v.ledger.Lookup(ctx, key)
	if err != nil || !ok {
		return nil, err
	}
	body, err := rec.Decode()
	if err != nil {
		return nil, fmt.Errorf("read the event with key %s: %w", key, err)
	}
	e, _ := body.(*contracts.Event)
	return e, nil
}

func (a *answers) join(id string) *waiters {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.waiting[id]
	if w == nil {
		w = &waiters{ended: make(chan struct{})}
		if a.waiting == nil {
			a.waiting = map[string]*waiters{}
		}
		a.waiting[id] = w
	}
	w.count++
	return w
}

func (a *answers) leave(id string, w *waiters) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if w.count--; w.count == 0 && a.waiting[id] == w {
		delete(a.waiting, id)
	}
}

func (a *answers) wake(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if w := a.waiting[id]; w != nil {
		close(w.ended)
		delete(a.waiting, id)
	}
}
