package jetstream

import (
	"cmp"
	"context"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// Read returns records after the given seq. See ledger.Ledger for the contract.
func (l *Ledger) Read(ctx context.Context, after uint64, limit int, kinds ...contracts.Kind) (recs []contracts.Record, err error) {
	st := l.state.Load()
	for len(recs) < limit && after < st.head {
		if err := l.usable(ctx); err != nil {
			return nil, err
		}
		if tail, ok := st.tail.Since(after, st.head); ok && after >= st.floor {
			for i := range tail {
				if len(recs) < limit && (len(kinds) == 0 || slices.Contains(kinds, tail[i].Kind)) {
					recs = append(recs, tail[i])
				}
			}
			return recs, nil
		}
		page, next, err := l.page(ctx, after, st.head, limit-len(recs), kinds)
		if err != nil {
			return nil, l.noteDamage(err)
		}
		recs = appendRecords(recs, page)
		after = next
	}
	return recs, l.usable(ctx)
}

// Follow passes all records after the given seq to fn, then waits for more. It runs on the caller's
// goroutine.
func (l *Ledger) Follow(ctx context.Context, after uint64, fn func([]contracts.Record) error) error {
	for {
		if err := l.usable(ctx); err != nil {
			return err
		}
		st := l.state.Load()
		if after >= st.head {
			select {
			case <-st.changed:
			case <-ctx.Done():
			case <-l.runCtx.Done():
			}
			continue
		}
		recs, ok := st.tail.Since(after, st.head)
		if ok && after >= st.floor {
			recs = recs[:min(len(recs), contracts.LimitFollowBatch):min(len(recs), contracts.LimitFollowBatch)]
			after = recs[len(recs)-1].Seq
		} else {
			page, next, err := l.page(ctx, after, st.head, contracts.LimitFollowBatch, nil)
			if err != nil {
				return l.noteDamage(err)
			}
			recs, after = appendRecords(nil, page), next
		}
		if len(recs) > 0 {
			if err := fn(recs); err != nil {
				return err
			}
		}
	}
}

// usable fails if the ledger is closed or ctx is done.
func (l *Ledger) usable(ctx context.Context) error {
	if l.runCtx.Err() != nil {
		return ledger.ErrClosed
	}
	return ctx.Err()
}

func appendRecords(recs []contracts.Record, page []entry) []contracts.Record {
	for i := range page {
		recs = append(recs, page[i].Record)
	}
	return recs
}

// page reads at most limit records with after < seq <= upTo from the servers. list contains every
// matching record up to next.
func (l *Ledger) page(ctx context.Context, after, upTo uint64, limit int, kinds []contracts.Kind) (list []entry, next uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, contracts.JetStreamTimeout)
	defer cancel()
	limit = min(limit, contracts.LimitJetStreamBatch)
	filters := []string{l.records + ">"}
	if len(kinds) > 0 {
		filters = filters[:0]
		for _, k := range kinds {
			filters = append(filters, l.kindSubject(k))
		}
	}
	for {
		list, next = nil, upTo
		behind := false
		for _, filter := range filters {
			part, end, err := l.readTo(ctx, filter, after, upTo, limit)
			if err != nil {
				return nil, 0, err
			}
			behind = behind || end == after && len(part) == 0 && end < upTo
			next = min(next, end)
			list = append(list, part...)
		}
		missing := (*ledger.CorruptError)(nil)
		if !behind {
			list = l.overlay(list, after, next, kinds)
			if list, next = cut(list, next, limit); len(kinds) > 0 {
				return list, next, nil
			}
			if missing = l.checkContiguous(list, after, next); missing == nil {
				return list, next, nil
			}
			if err := l.loadDocument(ctx); err != nil { // retention may have removed the missing records since
				return nil, 0, err
			}
		}
		if !l.pause(ctx) {
			if missing != nil {
				return nil, 0, missing
			}
			return nil, 0, l.asClosed(ctx.Err())
		}
	}
}

// readTo reads the records with after < seq <= upTo that match filter. list is complete up to end.
// If the replica that answered is behind, end may be equal to after.
func (l *Ledger) readTo(ctx context.Context, filter string, after, upTo uint64, limit int) (list []entry, end uint64, err error) {
	messages, more, err := l.fromReplica(ctx, l.recordStream(), filter, after+1, limit)
	if err != nil {
		return nil, 0, err
	}
	end = upTo
	for _, m := range messages {
		if m.seq > upTo {
			return list, upTo, nil
		}
		e, err := decode(m.seq, m.data)
		if err != nil {
			return nil, 0, err
		}
		list = append(list, e)
	}
	last := after
	if n := len(list); n > 0 {
		last = list[n-1].Seq
	}
	if more || len(messages) >= limit {
		return list, last, nil
	}
	if last < upTo { // only the leader can tell whether there are more records
		m, err := l.fromLeader(ctx, l.recordStream(), selector{Seq: last + 1, Next: filter})
		if err != nil {
			return nil, 0, err
		}
		if m != nil && m.seq <= upTo {
			end = last
		}
	}
	return list, end, nil
}

// overlay replaces redacted records with their tombstones and drops the records that retention
// removed. This is necessary because replicas may still have the originals.
func (l *Ledger) overlay(list []entry, after, upTo uint64, kinds []contracts.Kind) []entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	list = slices.DeleteFunc(list, func(e entry) bool {
		_, redacted := l.tombstones[e.Seq]
		return redacted || l.document.removed(&e.Record)
	})
	for seq, stone := range l.tombstones {
		if seq <= after || seq > upTo || len(kinds) > 0 && !slices.Contains(kinds, stone.Kind) || l.document.removed(&stone.Record) {
			continue
		}
		list = append(list, stone.entry)
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.Seq, b.Seq) })
	return list
}

// cut drops the records after end and those beyond the limit.
func cut(list []entry, end uint64, limit int) ([]entry, uint64) {
	list = slices.DeleteFunc(list, func(e entry) bool { return e.Seq > end })
	if len(list) > limit {
		list = list[:limit]
		end = list[limit-1].Seq
	}
	return list, end
}

// checkContiguous returns an error if a record in (after, upTo] is missing although retention did not
// remove it.
func (l *Ledger) checkContiguous(list []entry, after, upTo uint64) *ledger.CorruptError {
	l.mu.Lock()
	floor := l.document.Floor
	l.mu.Unlock()
	next := max(after, floor) + 1
	for i := range list {
		if list[i].Seq <= floor {
			continue
		}
		if list[i].Seq != next {
			break
		}
		next++
	}
	if next <= upTo {
		return &ledger.CorruptError{Seq: next, Reason: "is missing"}
	}
	return nil
}
