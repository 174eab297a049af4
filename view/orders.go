package view

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
)

// orders keeps the newest orders of each source for those who carry them out.
type orders struct {
	mu    sync.Mutex
	of    map[string]*queue // by source; empty for the crew
	given pulse
}

// queue is what the office wants of the agents of one source.
type queue struct {
	newest []contracts.Record
	gone   uint64 // orders that were given and are not kept any more
}

// errSlowOrders ends a reader that lost orders.
var errSlowOrders = errors.New("the reader fell too far behind; the oldest orders are lost")

// Orders calls fn with what the office wants of agents of a source, in order: orders
// (contracts.Record.Order), and what people say to them. An empty source stands for the
// crew. Orders are those of this run of the office; earlier ones are not repeated,
// because what they were for has ended. It returns with ctx, with the error of fn, or
// when fn is more than contracts.LimitOrders of its source behind.
func (v *View) Orders(ctx context.Context, source string, fn func(contracts.Record) error) error {
	for next := uint64(0); ; {
		given := v.orders.given.wait()
		list, end, ok := v.orders.after(next, source)
		if !ok {
			return errSlowOrders
		}
		next = end
		for _, rec := range list {
			if err := fn(rec); err != nil {
				return err
			}
		}
		if len(list) > 0 {
			continue
		}
		select {
		case <-given:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// order keeps an order for an agent who is here.
func (v *View) order(agentID string, rec *contracts.Record) {
	a := v.world.Agent(agentID)
	if a == nil {
		return
	}
	o := &v.orders
	o.mu.Lock()
	if o.of == nil {
		o.of = map[string]*queue{}
	}
	q := o.of[a.Source]
	if q == nil {
		q = &queue{}
		o.of[a.Source] = q
	}
	if len(q.newest) == contracts.LimitOrders {
		q.newest = append(q.newest[:0], q.newest[1:]...)
		q.gone++
	}
	q.newest = append(q.newest, *rec)
	o.mu.Unlock()
	o.given.beat()
}

// after returns the orders for a source from number next on, and the number of the one
// that comes after them; ok is false when some are lost.
func (o *orders) after(next uint64, source string) (list []contracts.Record, end uint64, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	q := o.of[source]
	switch {
	case q == nil:
		return nil, next, true
	case next < q.gone:
		return nil, 0, false
	}
	return slices.Clone(q.newest[next-q.gone:]), q.gone + uint64(len(q.newest)), true
}

// erase replaces records by what redaction left of them. Readers keep their positions.
func (o *orders) erase(seqs []uint64, stones []contracts.Record) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, q := range o.of {
		for i, rec := range q.newest {
			if !slices.Contains(seqs, rec.Seq) {
				continue
			}
			q.newest[i] = contracts.Record{Seq: rec.Seq} // nothing to carry out, if retention removed it
			if n := slices.IndexFunc(stones, func(s contracts.Record) bool { return s.Seq == rec.Seq }); n >= 0 {
				q.newest[i] = stones[n]
			}
		}
	}
}
