package sqlite

import (
	"context"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// Follow hands out every record after the given seq, then waits for more. Records
// that retention has removed are left out, as Floor tells. It runs on the
// caller's goroutine; a follower that waits costs nothing.
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
		after = max(after, st.head) // retention may have removed the last ones
		select {
		case <-st.changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-l.closing:
			return ledger.ErrClosed
		}
	}
}

// next is the batch that follows a seq, empty when there is none up to st.
func (l *Ledger) next(ctx context.Context, st *state, after uint64) ([]contracts.Record, error) {
	if err := l.use(); err != nil {
		return nil, err
	}
	defer l.using.RUnlock()
	if recs, ok := st.since(after); ok {
		n := min(len(recs), contracts.LimitFollowBatch)
		return recs[:n:n], nil
	}
	recs, err := l.readPage(ctx, after, st.head, contracts.LimitFollowBatch, nil)
	if err != nil {
		return nil, l.notice(err)
	}
	return recs, l.notice(l.checkWhole(ctx, after, recs))
}

// checkWhole refuses a hole that retention did not make: a follower that folds
// past a lost record would be wrong from there on.
func (l *Ledger) checkWhole(ctx context.Context, after uint64, recs []contracts.Record) error {
	for i := len(recs) - 1; i >= 0; i-- {
		before := after
		if i > 0 {
			before = recs[i-1].Seq
		}
		if recs[i].Seq == before+1 {
			continue
		}
		// The floor in the file, because ours is a moment older than the page.
		floor, err := readFloor(ctx, l.reads)
		if err != nil {
			return err
		}
		if recs[i].Seq-1 > floor {
			return &ledger.CorruptError{Seq: recs[i].Seq - 1, Reason: "is missing"}
		}
		return nil
	}
	return nil
}
