package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// Retain removes the records that the rules select, oldest first, in transactions of at most
// contracts.LimitRetainBatch records, so that appends can continue in between. Content that a
// record owns is removed in the same transaction. A removed record's key can be used again. SQLite
// reuses the space for later records; the file does not shrink.
func (l *Ledger) Retain(ctx context.Context, now time.Time, rules []ledger.Rule) (removed int, err error) {
	l.retaining.Lock() // two concurrent calls would count the same records twice
	defer l.retaining.Unlock()
	return ledger.Sweep(now, rules, func(kind contracts.Kind) (int, error) { return l.countKind(ctx, kind) },
		func(rule ledger.Rule, before int64, most int) (int, error) { return l.sweep(ctx, rule, before, most) })
}

// sweep removes, in order, up to limit records of the rule's kind whose time is before the given
// time. It stops at the first newer record.
func (l *Ledger) sweep(ctx context.Context, rule ledger.Rule, before int64, limit int) (removed int, err error) {
	var after int64
	for limit > 0 {
		removals, err := l.findRemovals(ctx, rule, after, before, min(limit, contracts.LimitRetainBatch))
		if err != nil || len(removals) == 0 {
			return removed, err
		}
		after = removals[len(removals)-1].seq
		floor := max(l.Floor(), uint64(after))
		err = l.submit(ctx, &request{work: func(w *writer) error {
			for _, d := range removals {
				if err := w.remove(d); err != nil {
					return err
				}
			}
			if err := w.deletePlaces(rule.Kind, removals); err != nil {
				return err
			}
			if err := w.deleteLinks(uint64(removals[0].seq), uint64(after)); err != nil {
				return err
			}
			w.counts[rule.Kind] -= int64(len(removals))
			w.floor = max(w.floor, floor)
			return nil
		}})
		if err != nil {
			return removed, err
		}
		removed += len(removals)
		limit -= len(removals)
	}
	return removed, nil
}

// removal is a record to remove, with the content that it owns.
type removal struct {
	seq     int64
	content string
}

// remove deletes a record but keeps its link, which the next record continues from.
func (w *writer) remove(d removal) error {
	if err := w.exec("INSERT OR REPLACE INTO proofs SELECT seq, substr(coalesce(proof, (SELECT proof FROM proofs WHERE proofs.seq = records.seq)), -32) FROM records WHERE seq = ?", d.seq); err != nil {
		return err
	}
	if err := w.exec("DELETE FROM records WHERE seq = ?", d.seq); err != nil || d.content == "" {
		return err
	}
	return w.exec("DELETE FROM blobs WHERE sha256 = ?", d.content)
}

// deleteLinks deletes the links of the removed records from first to last. It keeps a link if the
// next record was not removed, because that record continues from the link.
func (w *writer) deleteLinks(first, last uint64) error {
	return w.exec(`DELETE FROM proofs WHERE seq >= coalesce((SELECT max(seq) FROM proofs WHERE seq < ?), 0) AND seq <= ?
		AND NOT EXISTS (SELECT 1 FROM records WHERE records.seq = proofs.seq)
		AND (SELECT min(later.seq) FROM proofs AS later WHERE later.seq > proofs.seq) < coalesce((SELECT min(records.seq) FROM records WHERE records.seq > proofs.seq), 9223372036854775807)`,
		int64(first), int64(last))
}

// findRemovals returns up to limit of the oldest records of the rule's kind whose seq is greater
// than after. It stops at the first record whose time equals or exceeds before.
func (l *Ledger) findRemovals(ctx context.Context, rule ledger.Rule, after, before int64, limit int) (list []removal, err error) {
	if err := l.beginRead(); err != nil {
		return nil, err
	}
	defer l.using.RUnlock()
	what := "SELECT seq, ts FROM records "
	if rule.Owns != nil {
		what = columns // the rule reads the whole record
	}
	last := l.Head()
	if rule.UpTo > 0 {
		last = min(last, rule.UpTo)
	}
	rows, err := l.reads.QueryContext(ctx, what+"WHERE seq > ? AND seq <= ? AND kind = ? ORDER BY seq LIMIT ?", after, int64(last), string(rule.Kind), limit+len(rule.Keep))
	if err != nil {
		return nil, explain(err)
	}
	defer rows.Close()
	for len(list) < limit && rows.Next() {
		d, ts, err := l.scanRemoval(rows, rule.Owns)
		if err != nil {
			return nil, err
		}
		if ts >= before {
			break
		}
		if _, kept := slices.BinarySearch(rule.Keep, uint64(d.seq)); !kept {
			list = append(list, d)
		}
	}
	return list, explain(rows.Err())
}

// scanRemoval reads a record and the hash of the content that it owns. A damaged record may be
// removed, but owns no content, because its body cannot be trusted.
func (l *Ledger) scanRemoval(rows *sql.Rows, owns func(*contracts.Record) string) (d removal, ts int64, err error) {
	if owns == nil {
		err = explain(rows.Scan(&d.seq, &ts))
		return d, ts, err
	}
	var r contracts.Record
	err = l.scan(rows, &r)
	d.seq = int64(r.Seq)
	if altered := (*ledger.CorruptError)(nil); errors.As(err, &altered) {
		return d, r.TS, nil
	}
	if err == nil {
		d.content = owns(&r)
	}
	return d, r.TS, err
}

func (l *Ledger) countKind(ctx context.Context, kind contracts.Kind) (n int, err error) {
	if err := l.beginRead(); err != nil {
		return 0, err
	}
	defer l.using.RUnlock()
	err = l.reads.QueryRowContext(ctx, "SELECT records FROM kinds WHERE kind = ?", string(kind)).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return n, explain(err)
}
