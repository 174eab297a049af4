package sqlite

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// request is one caller's wish to change the file.
type request struct {
	after uint64
	recs  []contracts.Record
	seals []seal  // one for each record
	one   [1]seal // backs seals of a single record

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
	r := &request{after: after, recs: recs, grows: true}
	r.seals = sealRecords(r.one[:0], recs)
	return l.submit(ctx, r)
}

func (l *Ledger) submit(ctx context.Context, r *request) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if l.held != nil {
		return l.held
	}
	r.done = make(chan struct{})
	if err := l.enqueue(ctx, r); err != nil {
		return err
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return fmt.Errorf("the append may or may not have happened: %w", ctx.Err())
	}
}

// enqueue hands a request to the committer, which answers every request in the queue.
func (l *Ledger) enqueue(ctx context.Context, r *request) error {
	l.sending.RLock()
	defer l.sending.RUnlock()
	select {
	case <-l.closing: // select takes a random ready case; closed must win
		return ledger.ErrClosed
	default:
	}
	select {
	case l.requests <- r: // alone it is cheaper than with the others
		return nil
	default:
	}
	select {
	case l.requests <- r:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-l.closing:
		return ledger.ErrClosed
	}
}

// commitLoop is the only goroutine that writes. It commits everything that waits
// as one transaction: while the disk syncs, the next batch gathers. Requests that
// arrive while a batch is being inserted join it, because a sync costs more than
// many inserts.
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
			l.sending.Lock() // after this nothing enters the queue
			l.sending.Unlock()
			if batch = l.gather(batch[:0]); len(batch) == 0 {
				return
			}
		}
		batch = l.commit(w, batch)
		woken := len(batch)
		clear(batch)
		if woken > 1 { // let callers append again before the next batch starts
			runtime.Gosched()
		}
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

// commit carries out a batch and what joins it, and returns both. A request that is
// refused leaves the others alone; when the transaction fails, none of them happened.
func (l *Ledger) commit(w *writer, batch []*request) []*request {
	full := l.checkSpace()
	st := l.state.Load()
	err := l.checkPath()
	if err == nil {
		err = w.transact(st.head, st.link, func() error {
			for done := 0; done < len(batch); {
				if err := w.carryOut(batch[done:], full); err != nil {
					return err
				}
				done = len(batch)
				batch = l.gather(batch)
			}
			return nil
		})
	}
	if err == nil {
		l.publish(w.accepted, w.link, w.floor, w.redacted)
	}
	for _, r := range batch {
		if err != nil { // also if it was refused: a request that failed may be the reason
			r.err = fmt.Errorf("nothing was written to ledger %s: %w", l.name(), err)
		} else if r.alone != nil {
			r.err = r.alone()
		}
		close(r.done)
	}
	return batch
}

// carryOut writes the changes of requests within the transaction under way. full says
// why those that grow the file are refused; nil if they are not.
func (w *writer) carryOut(requests []*request, full error) error {
	for _, r := range requests {
		switch {
		case r.grows && full != nil:
			r.err = full
		case r.alone != nil:
		case r.work != nil:
			if err := r.work(w); err != nil {
				return err
			}
		default:
			if err := w.accept(r); err != nil {
				return err
			}
		}
	}
	return w.insert()
}
