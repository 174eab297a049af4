package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// request is one caller's wish to change the file.
type request struct {
	after uint64
	recs  []contracts.Record
	seals []seal // one for each record

	// work is a change other than an append. It runs inside the transaction.
	work func(*writer) error
	// alone is a change that must not be in a transaction. It runs after that of the
	// batch, when that succeeded.
	alone func() error
	// grows is false for work that must go on when the disk is nearly full.
	grows bool

	err  error // set before done is closed
	done chan struct{}
}

// Append adds records. See ledger.Ledger for the promise.
//
// When ctx ends while the append waits, the outcome is unknown: it may still
// happen, and recs stay the ledger's. Read up to the head before deciding again.
func (l *Ledger) Append(ctx context.Context, after uint64, recs []contracts.Record) error {
	// Callers seal in parallel, so that the single committing goroutine need not.
	return l.submit(ctx, &request{after: after, recs: recs, seals: sealRecords(recs), grows: true})
}

func (l *Ledger) submit(ctx context.Context, r *request) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if l.held != nil {
		return l.held
	}
	r.done = make(chan struct{})
	select {
	case <-l.closing: // select takes a random ready case; closed must win
		return ledger.ErrClosed
	default:
	}
	select {
	case l.requests <- r:
	case <-ctx.Done():
		return ctx.Err()
	case <-l.closing:
		return ledger.ErrClosed
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return fmt.Errorf("the append may or may not happen: %w", ctx.Err())
	case <-l.committed:
	}
	select {
	case <-r.done:
		return r.err
	default: // it came into the queue after the committer's last look
		return ledger.ErrClosed
	}
}

// commitLoop is the only goroutine that writes. It commits everything that waits
// as one transaction: while the disk syncs, the next batch gathers.
func (l *Ledger) commitLoop() {
	defer close(l.committed)
	w := newWriter(l.writes, l.sums, l.segments)
	defer w.close()
	batch := make([]*request, 0, contracts.LimitAppendBatch)
	fold := time.NewTimer(contracts.LedgerFold)
	fold.Stop()
	for {
		select {
		case <-fold.C:
			l.foldIdle()
			continue
		case r := <-l.requests:
			batch = l.gather(append(batch[:0], r))
		case <-l.closing:
			if batch = l.gather(batch[:0]); len(batch) == 0 {
				return
			}
		}
		l.commit(w, batch)
		clear(batch)
		if l.Durable() { // under load SQLite checkpoints by itself, which costs less
			fold.Reset(contracts.LedgerFold)
		}
	}
}

func (l *Ledger) gather(batch []*request) []*request {
	for len(batch) < contracts.LimitAppendBatch {
		select {
		case r := <-l.requests:
			batch = append(batch, r)
		default:
			return batch
		}
	}
	return batch
}

// commit carries out a batch. A request that is refused leaves its neighbours
// alone; when the transaction fails, nobody's change happened.
func (l *Ledger) commit(w *writer, batch []*request) {
	full := l.checkSpace()
	st := l.state.Load()
	err := l.place()
	if err == nil {
		err = w.transact(st.head, st.link, func() error {
			for _, r := range batch {
				if r.grows && full != nil {
					r.err = full
					continue
				}
				if r.alone != nil {
					continue
				}
				if r.work != nil {
					if err := r.work(w); err != nil {
						return err
					}
					continue
				}
				if err := w.accept(r); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err == nil {
		l.publish(w.accepted, w.link, w.floor, w.redacted)
	}
	for _, r := range batch {
		if err != nil { // also for who was refused: a neighbour that is not there may be the reason
			r.err = fmt.Errorf("nothing was written to ledger %s: %w", l.name(), err)
		} else if r.alone != nil {
			r.err = r.alone()
		}
		close(r.done)
	}
}
