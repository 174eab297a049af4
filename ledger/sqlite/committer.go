package sqlite

import (
	"context"
	"fmt"
	"runtime"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// request is one caller's change to the file.
type request struct {
	after uint64
	recs  []contracts.Record
	seals []seal  // one for each record
	one   [1]seal // avoids an allocation for a single record

	absent map[string]struct{} // keys known to be unused as of the seq in after

	// work is a change other than an append. It runs inside the transaction.
	work func(*writer) error
	// outsideTx is a change that must not run in a transaction. It runs once the batch has been
	// committed.
	outsideTx func() error
	// grows is false for work that must continue when the disk is nearly full.
	grows bool

	err  error         // set before done is closed
	done chan struct{} // nil if the caller commits the request itself
}

// Append adds records. See ledger.Ledger for the contract.
//
// If ctx is done while the append is waiting, the outcome is unknown: the append may still happen,
// and the ledger keeps using recs. Read up to the head before you append again. An append that no
// other request joins is committed on the caller's goroutine and returns once the data is on disk.
func (l *Ledger) Append(ctx context.Context, after uint64, recs []contracts.Record) error {
	// Seal on the caller's goroutine, in parallel with others, so that the single committer does
	// not have to.
	r := &request{after: after, recs: recs, absent: l.absent.Load().at(after), grows: true}
	r.seals = sealRecords(r.one[:0], recs)
	if err := l.mayWrite(ctx); err != nil {
		return err
	}
	if l.commitAlone(r) {
		return r.err
	}
	return l.submit(ctx, r)
}

// mayWrite returns an error if ctx is done or appends are blocked.
func (l *Ledger) mayWrite(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return l.blocked
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
		return fmt.Errorf("%w: %w", ledger.ErrUnconfirmed, ctx.Err())
	}
}

// enqueue passes a request to the committer, which answers every request in the queue.
func (l *Ledger) enqueue(ctx context.Context, r *request) error {
	l.sending.RLock()
	defer l.sending.RUnlock()
	select {
	case <-l.closing: // select picks a random ready case; closing must win
		return ledger.ErrClosed
	default:
	}
	select {
	case l.requests <- r: // cheaper than a select with several cases
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
	default: // already signalled
	}
	return nil
}

// singleCommitsLimit is the number of consecutive single-request commits after which callers commit
// on their own goroutines.
const singleCommitsLimit = 8

// commitAlone commits a request on the caller's goroutine, because a handover to the committer
// costs more than the insert. It returns false, without committing, if something else is being
// written or there was a shared commit recently, because callers that append together should share
// a sync.
func (l *Ledger) commitAlone(r *request) bool {
	if l.singleCommits.Load() < singleCommitsLimit || !l.writing.TryLock() {
		return false
	}
	defer l.writing.Unlock()
	l.sending.RLock() // Close waits for this commit
	defer l.sending.RUnlock()
	select {
	case <-l.closing:
		return false
	default:
	}
	l.commit(append(l.batch[:0], r))
	return true
}

// commitLoop commits all waiting requests in one transaction; while the disk syncs, the next batch
// is collected. Requests that arrive while a batch is being inserted join that batch, because a
// sync costs more than many inserts.
func (l *Ledger) commitLoop() {
	defer close(l.committed)
	defer l.writer.close()
	for {
		select {
		case <-l.checkpointTimer.C:
			l.writing.Lock()
			l.checkpointIdle()
			l.writing.Unlock()
		case <-l.queued:
			for l.commitQueued() {
				runtime.Gosched() // let callers append again before the next batch starts
			}
		case <-l.closing:
			l.sending.Lock() // after this, nothing enters the queue
			l.sending.Unlock()
			for l.commitQueued() {
			}
			return
		}
	}
}

// commitQueued commits the waiting requests and reports whether there were any. It takes them from
// the queue only once it holds the write lock, because until then they can join a caller's commit.
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

// commit runs a batch and the requests that join it. A refused request does not affect the others;
// if the transaction fails, none of them takes effect. The caller holds l.writing.
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
		l.singleCommits.Store(0)
	} else if n := l.singleCommits.Load(); n < singleCommitsLimit {
		l.singleCommits.Store(n + 1)
	}
	if l.Durable() { // under load, SQLite's own checkpoints are cheaper
		l.checkpointTimer.Reset(contracts.WALCheckpointIdle)
	}
	for _, r := range batch {
		if err != nil { // even if r was refused: the failure may have caused the refusal
			r.err = fmt.Errorf("nothing was written to ledger %s: %w", l.name(), err)
		} else if r.outsideTx != nil {
			r.err = r.outsideTx()
		}
		if r.done != nil {
			close(r.done)
		}
	}
	clear(batch)
}

// carryOut applies requests within the open transaction. full, if not nil, is the error for
// requests that would grow the file.
func (w *writer) carryOut(requests []*request, full error) error {
	for _, r := range requests {
		switch {
		case r.grows && full != nil:
			r.err = full
		case r.outsideTx != nil:
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

// LargeAppends marks l as a ledger.LargeAppender: an append of any size is one transaction.
func (l *Ledger) LargeAppends() {}
