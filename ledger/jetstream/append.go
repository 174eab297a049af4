package jetstream

import (
	"context"
	"errors"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// request is one caller's append.
type request struct {
	after   uint64
	recs    []contracts.Record // the caller's records; numbered here if after is AnySeq
	entries []entry            // one for each record
	bytes   int
	token   string // identifies the append if it must not share a batch

	err  error // set before done is closed
	done chan struct{}
}

func newRequest(after uint64, recs []contracts.Record) *request {
	r := &request{after: after, recs: recs, entries: make([]entry, len(recs)), done: make(chan struct{})}
	for i := range recs {
		r.entries[i] = seal(recs[i])
		r.bytes += len(recs[i].Body)
	}
	return r
}

// Append adds records. See ledger.Ledger for the contract. Concurrent appends may share an atomic
// batch.
func (l *Ledger) Append(ctx context.Context, after uint64, recs []contracts.Record) error {
	if len(recs) == 0 {
		return nil
	}
	return l.submit(ctx, newRequest(after, recs))
}

func (l *Ledger) submit(ctx context.Context, r *request) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := l.checkRequest(r); err != nil {
		return err
	}
	select {
	case l.requests <- r:
	case <-ctx.Done():
		return ctx.Err()
	case <-l.runCtx.Done():
		return ledger.ErrClosed
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ledger.ErrUnconfirmed, ctx.Err())
	case <-l.runCtx.Done():
		return ledger.ErrClosed
	}
}

// checkRequest refuses an append that exceeds the servers' limits, and any append to a damaged
// ledger.
func (l *Ledger) checkRequest(r *request) error {
	if len(r.entries) > contracts.LimitJetStreamBatch || r.bytes > contracts.LimitJetStreamBytes {
		return fmt.Errorf("ledger: an append of %d records with %d bytes exceeds the limit of %d records and %d bytes", len(r.entries), r.bytes, contracts.LimitJetStreamBatch, contracts.LimitJetStreamBytes)
	}
	for i := range r.entries {
		e := &r.entries[i]
		if !validToken.MatchString(string(e.Kind)) {
			return fmt.Errorf("ledger: invalid kind %q: use letters, digits, _ and -", e.Kind)
		}
		if size := len(e.Body) + len(e.ID) + len(e.Key) + messageOverhead; int64(size) > l.conn.MaxPayload() {
			return fmt.Errorf("ledger: record %d of the append is %d bytes long, but the NATS server's max_payload is %d", i, size, l.conn.MaxPayload())
		}
	}
	return l.Damage()
}

// messageOverhead is an upper bound on the bytes that a message needs in addition to its body, id
// and key.
const messageOverhead = 1 << 10

// commitLoop appends waiting requests, one batch at a time. While the servers replicate a batch,
// the next requests are collected.
func (l *Ledger) commitLoop() {
	var next *request // a request that did not fit into the batch
	for {
		first := next
		if next = nil; first == nil {
			select {
			case first = <-l.requests:
			case <-l.runCtx.Done():
				return
			}
		}
		var group []*request
		group, next = l.gather(first)
		l.commit(group)
	}
}

// gather returns waiting requests that fit into one batch, and the request that did not fit, if
// any.
func (l *Ledger) gather(first *request) (group []*request, next *request) {
	group = []*request{first}
	records, bytes := len(first.entries), first.bytes
	for first.token == "" {
		select {
		case r := <-l.requests:
			records, bytes = records+len(r.entries), bytes+r.bytes
			if r.token != "" || records > contracts.LimitJetStreamBatch || bytes > contracts.LimitJetStreamBytes {
				return group, r
			}
			group = append(group, r)
		default:
			return group, nil
		}
	}
	return group, nil
}

// commit appends a group. If the server refuses the group because of a duplicate key, commit
// appends the requests one by one, so that only the requests with a duplicate key fail.
func (l *Ledger) commit(group []*request) {
	err := l.commitTogether(group)
	if errors.Is(err, ledger.ErrDuplicateKey) && len(group) > 1 {
		for _, r := range group {
			if r.err == nil {
				r.err = l.commitTogether([]*request{r})
			}
		}
		err = nil
	}
	for _, r := range group {
		if r.err == nil {
			r.err = err
		}
		close(r.done)
	}
}

// commitTogether appends a group as one batch. It sets the error of each request that it refuses;
// the returned error applies to all others.
func (l *Ledger) commitTogether(group []*request) error {
	for {
		st := l.state.Load()
		batch := l.plan(st, group)
		if len(batch) == 0 {
			return nil
		}
		if err := l.markSegment(&batch[0], st.head); err != nil {
			return err
		}
		l.setInFlight(batch)
		err := l.publish(st.head, batch, group[0].token)
		stale := (*ledger.StaleError)(nil)
		switch {
		case err == nil:
			return l.noteDamage(l.apply(batch))
		case !errors.As(err, &stale):
			return err
		}
		for _, r := range group { // plan again after the records that others appended
			r.err = nil
		}
		if err := l.catchUp(l.runCtx); err != nil {
			return l.asClosed(err)
		}
	}
}

// plan numbers and chains the records of a group, continuing from st. It sets the error of each
// request that cannot be appended there.
func (l *Ledger) plan(st *state, group []*request) (batch []entry) {
	head, link := st.head, st.link
	keys := map[string]bool{}
	for _, r := range group {
		if r.err != nil {
			continue
		}
		if r.err = l.mayFollow(r, head, keys); r.err != nil {
			continue
		}
		for i := range r.entries {
			head++
			e := &r.entries[i]
			if e.Seq = head; r.after == ledger.AnySeq { // otherwise the caller numbered them, and may be reading them
				r.recs[i].Seq = head
			}
			e.before, e.segment = link, ""
			if len(batch) == 0 {
				e.segment = l.startsSegment()
			}
			if e.Key != "" {
				keys[e.Key] = true
			}
			link = e.link()
			batch = append(batch, *e)
		}
	}
	return batch
}

// errNotWriter means that Lead was not called, or that another node has taken over since.
var errNotWriter = errors.New("ledger: this node is not the office's writer, so it cannot append")

func (l *Ledger) leads() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.segmentToken != ""
}

// mayFollow returns an error if a request cannot be appended after head. It checks keys that the
// server does not see: keys used twice in one batch, and keys of tombstones.
func (l *Ledger) mayFollow(r *request, head uint64, taken map[string]bool) error {
	if r.after != ledger.AnySeq && r.after != head {
		return &ledger.StaleError{Expected: r.after, Head: head}
	}
	if !l.leads() {
		return errNotWriter
	}
	own := map[string]bool{}
	for i := range r.entries {
		e := &r.entries[i]
		if want := head + uint64(i) + 1; r.after != ledger.AnySeq && e.Seq != want {
			return fmt.Errorf("ledger: record %d of the batch has seq %d, want %d: number records from the expected head", i, e.Seq, want)
		}
		if e.Key == "" {
			continue
		}
		if own[e.Key] || taken[e.Key] || l.redactedKey(e.Key) {
			return fmt.Errorf("%w: %s", ledger.ErrDuplicateKey, e.Key)
		}
		own[e.Key] = true
	}
	return nil
}

// setInFlight stores the batch that is being appended, until its records come back from the stream.
func (l *Ledger) setInFlight(batch []entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight = batch
}
