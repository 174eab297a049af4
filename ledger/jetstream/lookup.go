package jetstream

import (
	"context"

	"github.com/bullpen-office/bullpen/contracts"
)

// Lookup finds the record with the given key.
func (l *Ledger) Lookup(ctx context.Context, key string) (r contracts.Record, ok bool, err error) {
	if err := l.usable(ctx); err != nil || key == "" {
		return r, false, err
	}
	l.mu.Lock()
	for _, stone := range l.tombstones {
		if stone.Key == key && !l.document.removed(&stone.Record) {
			r, ok = stone.Record, true
		}
	}
	l.mu.Unlock()
	if ok {
		return r, true, nil
	}
	m, err := l.fromLeader(ctx, l.recordStream(), selector{LastOf: l.keySubject(key)})
	if err != nil || m == nil {
		return r, false, err
	}
	e, err := decode(m.seq, m.data)
	if err != nil {
		return r, false, l.noteDamage(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.Key != key || e.Seq > l.Head() || l.document.removed(&e.Record) {
		return r, false, nil
	}
	return e.Record, true, nil
}

// HasKeys reports for each key whether a record has that key.
func (l *Ledger) HasKeys(ctx context.Context, keys []string) ([]bool, error) {
	known := make([]bool, len(keys))
	errs := make(chan error, len(keys))
	for i, key := range keys {
		go func() {
			_, ok, err := l.Lookup(ctx, key)
			known[i] = ok
			errs <- err
		}()
	}
	var err error
	for range keys {
		if e := <-errs; err == nil {
			err = e
		}
	}
	return known, err
}
