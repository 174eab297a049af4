package sqlite

import (
	"context"
	"fmt"
	"runtime"

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

	err  error         // set before done is closed
	done chan struct{} // nil if the caller commits it itself
}

// Append adds records. See ledger.Ledger for the promise.
//
// When ctx ends while the append waits, the outcome is unknown: it may still
// happen, and recs stay the ledger's. Read up to the head before deciding again. An
// append that nobody else joins is committed on the caller's goroutine and returns
// when the disk is done.
func (l *Ledger) Append(ctx context.Context, after uint64, recs []contracts.Record) error {
	// Callers seal in parallel, so that the single committing goroutine need not.
	r := &request{after: after, recs: recs, grows: true}
	r.seals = sealRecords(r.one[:0], recs)
	if err := l.mayWrite(ctx); err != nil {
		return err
	}
	if l.commitAlone(r) {
		return r.err
	}
	return l.submit(ctx, r)
}

// mayWrite returns why nothing is written: the caller has given up, or the ledger is held.
func (l *Ledger) mayWrite(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return l.held
}

func (l *Ledger) submit(ctx context.Context, r *request) error {
	if err := l.mayWrite(ctx); err != nil {
		return err
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
	default:
		select {
		case l.requests <- r:
		case <-ctx.Done():
			return ctx.Err()
		case <-l.closing:
			return ledger.ErrClosed
		}
	}
	select {
	case l.queued <- struct{}{}:
	default: // the committer has yet to look
	}
	return nil
}

// loneCommits is how many commits in a row must have had one request before callers commit
// themselves.
const loneCommits = 8

// commitAlone commits a request on the caller's goroutine if nobody else writes: handing
// it to the committer and waiting costs more than the insert. It reports whether it did.
// It does not shortly after a commit of several requests: they come again together, and
// the first of them would make the others wait for a sync of its own.
func (l *Ledger) commitAlone(r *request) bool {
	if l.lone.Load() < loneCommits || !l.writing.TryLock() {
		return false
	}
	defer l.writing.Unlock()
	l.sending.RLock() // Close waits for what is under way
	defer l.sending.RUnlock()
	select {
	case <-l.closing:
		return false
	default:
	}
	l.commit(append(l.batch[:0], r))
	return true
}

// commitLoop commits everything that waits as one transaction: while the disk syncs, the
// next batch gathers. Requests that arrive while a batch is being inserted join it,
// because a sync costs more than many inserts.
func (l *Ledger) commitLoop() {
	defer close(l.committed)
	defer l.writer.close()
	for {
		select {
		case <-l.fold.C:
			l.writing.Lock()
			l.foldIdle()
			l.writing.Unlock()
		case <-l.queued:
			for l.commitQueued() {
				runtime.Gosched() // let callers append again before the next batch starts
			}
		case <-l.closing:
			l.sending.Lock() // after this nothing enters the queue
			l.sending.Unlock()
			for l.commitQueued() {
			}
			return
		}
	}
}

// commitQueued commits what waits, and reports whether there was anything. It takes the
// requests only when it may write: until then they can join the commit of a caller.
func (l *Ledger) commitQueued() bool {
	l.writing.Lock()
	defer l.writing.Unlock()
	batch := l.gather(l.batch[:0])
	if len(batch) > 0 {
		l.commit(batch)
	}
	return len(batch) > 0
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

// commit carries out a batch and what joins it. A request that is refused leaves the
// others alone; when the transaction fails, none of them happened. The caller holds
// l.writing.
func (l *Ledger) commit(batch []*request) {
	w := l.writer
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
	if len(batch) > 1 {
		l.lone.Store(0)
	} else if n := l.lone.Load(); n < loneCommits {
		l.lone.Store(n + 1)
	}
	if l.Durable() { // under load SQLite checkpoints by itself, which costs less
		l.fold.Reset(contracts.LedgerFold)
	}
	for _, r := range batch {
		if err != nil { // also if it was refused: a request that failed may be the reason
			r.err = fmt.Errorf("nothing was written to ledger %s: %w", l.name(), err)
		} else if r.alone != nil {
			r.err = r.alone()
		}
		if r.done != nil {
			close(r.done)
		}
	}
	clear(batch)
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
