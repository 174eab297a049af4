package view

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
)

// orders keeps the newest orders for the agents of each source.
type orders struct {
	mu      sync.Mutex
	of      map[string]*queue // by watcher (see contracts.WatcherOf); the crew's key is empty
	changed notifier
}

// queue stores the orders for the agents of one source.
type queue struct {
	newest  []contracts.Record
	dropped uint64 // how many orders were dropped
}

// errSlowOrders is returned to a reader that missed orders.
var errSlowOrders = errors.New("the reader fell too far behind; the oldest orders are lost")

// Orders calls fn with each order for the agents of a source, oldest first. An order is a record
// that contracts.Record.Order recognizes as one, or a message from a person. An empty source means
// the crew; contracts.WatcherOf returns the name of a source at an outpost. An order from an
// earlier run of the office is obsolete and is not delivered. Orders returns when ctx is done, when
// fn returns an error, or when fn falls more than contracts.LimitOrders orders behind.
func (v *View) Orders(ctx context.Context, source string, fn func(contracts.Record) error) error {
	for next := uint64(0); ; {
		changed := v.orders.changed.wait()
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
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// OrdersAfter calls fn with a source's stored orders that follow the record with the given seq. If
// there are none, it waits for the next order.
func (v *View) OrdersAfter(ctx context.Context, source string, after uint64, fn func(contracts.Record) error) error {
	for {
		changed := v.orders.changed.wait()
		list := v.orders.since(after, source)
		for _, rec := range list {
			if err := fn(rec); err != nil {
				return err
			}
		}
		if len(list) > 0 {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// since returns the stored orders for a source that follow the record with the given seq.
func (o *orders) since(seq uint64, source string) (list []contracts.Record) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if q := o.of[source]; q != nil {
		for _, rec := range q.newest {
			if rec.Seq > seq {
				list = append(list, rec)
			}
		}
	}
	return list
}

// addOrder stores an order if its agent is in the office.
func (v *View) addOrder(agentID string, rec *contracts.Record) {
	a := v.world.Agent(agentID)
	if a == nil {
		return
	}
	o := &v.orders
	o.mu.Lock()
	if o.of == nil {
		o.of = map[string]*queue{}
	}
	watcher := contracts.WatcherOf(a.Source, a.Outpost)
	q := o.of[watcher]
	if q == nil {
		q = &queue{}
		o.of[watcher] = q
	}
	if len(q.newest) == contracts.LimitOrders {
		q.newest = append(q.newest[:0], q.newest[1:]...)
		q.dropped++
	}
	q.newest = append(q.newest, *rec)
	o.mu.Unlock()
	o.changed.notify()
}

// after returns the orders for a source starting with number next, and the number of the order
// that will follow them; ok is false if some were dropped.
func (o *orders) after(next uint64, source string) (list []contracts.Record, end uint64, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	q := o.of[source]
	switch {
	case q == nil:
		return nil, next, true
	case next < q.dropped:
		return nil, 0, false
	}
	return slices.Clone(q.newest[next-q.dropped:]), q.dropped + uint64(len(q.newest)), true
}

// erase replaces erased records with their tombstones. Readers keep their positions.
func (o *orders) erase(seqs []uint64, tombstones []contracts.Record) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, q := range o.of {
		for i, rec := range q.newest {
			if !slices.Contains(seqs, rec.Seq) {
				continue
			}
			q.newest[i] = contracts.Record{Seq: rec.Seq} // stays empty if retention has removed the record
			if n := slices.IndexFunc(tombstones, func(s contracts.Record) bool { return s.Seq == rec.Seq }); n >= 0 {
				q.newest[i] = tombstones[n]
			}
		}
	}
}
