package server

import (
	"context"
	"fmt"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/world"
)

// answers tells those who wait for a decision how it ended. It follows the
// ledger, so nobody is told an answer that is not written.
type answers struct {
	ledger ledger.Ledger
	from   uint64                                     // the head before anybody could wait
	look   func(id string) (contracts.Decision, bool) // as of now, in the live work

	mu      sync.Mutex
	waiting map[string]*waiters
}

// waiters wait for the same decision.
type waiters struct {
	ended chan struct{}
	count int
}

func newAnswers(l ledger.Ledger, look func(func(*world.World))) *answers {
	return &answers{ledger: l, from: l.Head(), waiting: map[string]*waiters{}, look: func(id string) (d contracts.Decision, ok bool) {
		look(func(w *world.World) {
			if row := w.Decision(id); row != nil {
				d, ok = *row, true
			}
		})
		return d, ok
	}}
}

// Run wakes those whose decision has ended, until ctx ends.
func (a *answers) Run(ctx context.Context) error {
	return a.ledger.Follow(ctx, a.from, func(recs []contracts.Record) error {
		for i := range recs {
			if recs[i].Kind != contracts.KindEvent {
				continue
			}
			body, err := recs[i].Decode()
			if err != nil {
				return err
			}
			if e, ok := body.(*contracts.Event); ok && (e.Name == contracts.EventDecisionResolved || e.Name == contracts.EventDecisionCancelled) {
				a.wake(e.DecisionID)
			}
		}
		return nil
	})
}

// Await returns the decision once it is resolved or cancelled. It fails when
// there is no such decision, or with ctx.
func (a *answers) Await(ctx context.Context, id string) (contracts.Decision, error) {
	w := a.join(id)
	defer a.leave(id, w)
	for {
		d, ok, err := a.find(ctx, id)
		switch {
		case err != nil:
			return contracts.Decision{}, err
		case !ok:
			return contracts.Decision{}, contracts.Refuse(contracts.CodeNotFound, "there is no decision %s", id)
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

// find is the decision as the ledger has it: how it ended, else as it is in the
// live work, else as it was asked.
func (a *answers) find(ctx context.Context, id string) (contracts.Decision, bool, error) {
	if !contracts.HasPrefix(id, contracts.PrefixDecision) {
		return contracts.Decision{}, false, nil
	}
	asked, err := a.event(ctx, string(contracts.PrefixDecision)+"/"+id)
	if err != nil || asked == nil || asked.Decision == nil {
		return contracts.Decision{}, false, err
	}
	d := *asked.Decision
	ended, err := a.event(ctx, "res/"+id)
	switch {
	case err != nil:
		return contracts.Decision{}, false, err
	case ended == nil:
		if live, ok := a.look(id); ok {
			return live, true, nil
		}
	case ended.Name == contracts.EventDecisionResolved:
		d.Status, d.Choice, d.Choices, d.Note = contracts.DecisionResolved, ended.Choice, ended.Choices, ended.Note
	default:
		d.Status, d.Reason = contracts.DecisionCancelled, ended.Reason
	}
	return d, true, nil
}

func (a *answers) event(ctx context.Context, key string) (*contracts.Event, error) {
	rec, ok, err := a.ledger.Lookup(ctx, key)
	if err != nil || !ok {
		return nil, err
	}
	body, err := rec.Decode()
	if err != nil {
		return nil, fmt.Errorf("read the decision under %s: %w", key, err)
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
