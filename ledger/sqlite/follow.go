package sqlite

import (
	"context"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// Follow passes all records after the given seq to fn, except those up to Floor that retention has
// removed, and then waits for more. It runs on the caller's goroutine.
func (l *Ledger) Follow(ctx context.Context, after uint64, fn func([]contracts.Record) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		st := l.state.Load()
		batch, err := l.next(ctx, st, after)
		if err != nil {
			return err
		}
		if len(batch) > 0 {
			if err := fn(batch); err != nil {
				return err
			}
			after = batch[len(batch)-1].Seq
			continue
		}
		after = max(after, st.head) // retention may have removed the last records
		select {
		case <-st.changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-l.closing:
			return ledger.ErrClosed
		}
	}
}

// next returns the batch after a seq; empty if st has no later record.
func (l *Ledger) next(ctx context.Context, st *state, after uint64) ([]contracts.Record, error) {
	if err := l.beginRead(); err != nil {
		return nil, err
	}
	defer l.using.RUnlock()
	if recs, ok := st.since(after); ok {
		n := min(len(recs), contracts.LimitFollowBatch)
		return recs[:n:n], nil
	}
	batch, err := l.readContiguous(ctx, after, st.head, contracts.LimitFollowBatch)
	return batch, l.noteDamage(err)
}

// readContiguous reads a page. It returns an error if a record that retention did not remove is
// missing: a reader that skipped that record would be wrong from then on.
func (l *Ledger) readContiguous(ctx context.Context, after, upTo uint64, limit int) ([]contracts.Record, error) {
	recs, err := l.readPage(ctx, after, upTo, limit, nil)
	if err != nil {
		return nil, err
	}
	if n := len(recs); n == limit {
		upTo = recs[n-1].Seq
	}
	if checkContiguous(after, upTo, 0, recs) == nil {
		return recs, nil
	}
	// Read the floor from the file: the floor in memory is older than the page.
	floor, err := readFloor(ctx, l.reads)
	if err != nil {
		return nil, err
	}
	return recs, checkContiguous(after, upTo, floor, recs)
}
