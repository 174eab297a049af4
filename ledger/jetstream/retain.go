package jetstream

import (
	"context"
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// Retain removes the records that the rules select, in steps of at most contracts.LimitRetainBatch
// records, because appends wait while the servers purge. The next leader finishes an interrupted
// step.
func (l *Ledger) Retain(ctx context.Context, now time.Time, rules []ledger.Rule) (removed int, err error) {
	if err := l.usable(ctx); err != nil {
		return 0, err
	}
	l.retaining.Lock()
	defer l.retaining.Unlock()
	return ledger.Sweep(now, rules, func(kind contracts.Kind) (int, error) {
		counts, err := l.count(ctx, l.kindSubject(kind))
		return int(counts[kind]), err
	}, func(rule ledger.Rule, before int64, most int) (int, error) { return l.sweep(ctx, rule, before, most) })
}

// sweep removes records of a rule's kind that were written before a time, in order, up to a limit.
// It stops at the first newer record.
func (l *Ledger) sweep(ctx context.Context, rule ledger.Rule, before int64, most int) (removed int, err error) {
	for most > 0 {
		recs, kept, err := l.findRemovable(ctx, rule, before, min(most, contracts.LimitRetainBatch))
		if err != nil || len(recs) == 0 {
			return removed, err
		}
		if err := l.removeStep(ctx, rule, recs, kept); err != nil {
			return removed, err
		}
		removed += len(recs)
		most -= len(recs)
	}
	return removed, nil
}

// findRemovable returns the oldest records of a rule's kind that may be removed: at most limit
// records from before the given time. It also returns the seqs of the records that it skipped because
// the rule keeps them.
func (l *Ledger) findRemovable(ctx context.Context, rule ledger.Rule, before int64, limit int) (recs []contracts.Record, kept []uint64, err error) {
	upTo := l.Head()
	if rule.UpTo > 0 {
		upTo = min(upTo, rule.UpTo)
	}
	for after := uint64(0); after < upTo; {
		page, next, err := l.page(ctx, after, upTo, contracts.LimitRetainBatch, []contracts.Kind{rule.Kind})
		if err != nil {
			return nil, nil, l.noteDamage(err)
		}
		for i := range page {
			if page[i].TS >= before || len(recs) == limit {
				return recs, kept, nil
			}
			if _, keep := slices.BinarySearch(rule.Keep, page[i].Seq); keep {
				kept = append(kept, page[i].Seq)
				continue
			}
			recs = append(recs, page[i].Record)
		}
		after = next
	}
	return recs, kept, nil
}

// removeStep removes records of a kind: it saves the document, then removes the records and their
// content.
func (l *Ledger) removeStep(ctx context.Context, rule ledger.Rule, recs []contracts.Record, kept []uint64) error {
	last := recs[len(recs)-1].Seq
	kept = slices.DeleteFunc(kept, func(seq uint64) bool { return seq > last })
	due := &removal{Kind: rule.Kind, Before: last + 1}
	if len(kept) > 0 {
		due.Before = kept[0]
	}
	for i := range recs {
		if recs[i].Seq >= due.Before {
			due.Seqs = append(due.Seqs, recs[i].Seq)
		}
		if rule.Owns == nil {
			continue
		}
		if name := rule.Owns(&recs[i]); name != "" {
			due.Contents = append(due.Contents, name)
		}
	}
	if err := l.keepSegments(ctx); err != nil {
		return err
	}
	st := l.state.Load()
	err := l.saveDocument(ctx, func(d *document) {
		known := d.Kinds[rule.Kind]
		for _, seq := range known.Kept { // an earlier step kept records that this step does not reach
			if seq > last {
				kept = append(kept, seq)
			}
		}
		d.Kinds[rule.Kind] = kindCut{UpTo: max(known.UpTo, last), Kept: kept}
		d.Floor = max(d.Floor, last)
		d.Due = due
		d.advance(st)
	})
	if err != nil {
		return err
	}
	return l.finishRemoval(ctx)
}

// finishRemoval completes the removal that the document lists as due.
func (l *Ledger) finishRemoval(ctx context.Context) error {
	l.mu.Lock()
	due := l.document.Due
	var tombstones []uint64
	for seq, stone := range l.tombstones {
		if l.document.removed(&stone.Record) {
			tombstones = append(tombstones, seq)
		}
	}
	l.mu.Unlock()
	if due == nil {
		return nil
	}
	for _, name := range due.Contents {
		if err := l.drop(ctx, contentPrefix+"."+name); err != nil {
			return err
		}
	}
	for _, seq := range tombstones {
		if err := l.dropTombstones(ctx, seq); err != nil {
			return err
		}
	}
	if due.Before > 1 { // with 1, the server would purge everything
		if err := l.purge(ctx, l.recordStream(), l.kindSubject(due.Kind), due.Before); err != nil {
			return err
		}
	}
	for _, seq := range due.Seqs {
		if err := l.remove(ctx, l.recordStream(), seq, false); err != nil {
			return err
		}
	}
	return l.saveDocument(ctx, func(d *document) { d.Due = nil })
}
