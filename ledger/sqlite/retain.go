package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// Retain removes what the rules name, oldest first, in transactions of at most
// contracts.LimitRetainBatch records so that appends go on in between. A key that
// goes is free again. SQLite uses the space again for later records; the file
// does not shrink.
func (l *Ledger) Retain(ctx context.Context, now time.Time, rules []ledger.Rule) (removed int, err error) {
	l.retaining.Lock() // two at once would count the same records twice
	defer l.retaining.Unlock()
	for _, rule := range rules {
		if rule.MaxAge > 0 {
			n, err := l.sweep(ctx, rule.Kind, now.Add(-rule.MaxAge).UnixMilli(), math.MaxInt)
			removed += n
			if err != nil {
				return removed, err
			}
		}
		if rule.MaxCount > 0 {
			have, err := l.countKind(ctx, rule.Kind)
			if err != nil {
				return removed, err
			}
			n, err := l.sweep(ctx, rule.Kind, math.MaxInt64, have-rule.MaxCount)
			removed += n
			if err != nil {
				return removed, err
			}
		}
	}
	return removed, nil
}

// sweep removes up to most records of a kind from before a time.
func (l *Ledger) sweep(ctx context.Context, kind contracts.Kind, before int64, most int) (removed int, err error) {
	var after int64
	for most > 0 {
		doomed, err := l.findDoomed(ctx, kind, after, before, min(most, contracts.LimitRetainBatch))
		if err != nil || len(doomed) == 0 {
			return removed, err
		}
		after = doomed[len(doomed)-1]
		floor := max(l.Floor(), uint64(after))
		err = l.submit(ctx, &request{work: func(w *writer) error {
			for _, seq := range doomed {
				if err := w.exec("DELETE FROM records WHERE seq = ?", seq); err != nil {
					return err
				}
			}
			w.counts[kind] -= int64(len(doomed))
			w.floor = max(w.floor, floor)
			return nil
		}})
		if err != nil {
			return removed, err
		}
		removed += len(doomed)
		most -= len(doomed)
	}
	return removed, nil
}

func (l *Ledger) findDoomed(ctx context.Context, kind contracts.Kind, after, before int64, limit int) (seqs []int64, err error) {
	if err := l.use(); err != nil {
		return nil, err
	}
	defer l.using.RUnlock()
	rows, err := l.reads.QueryContext(ctx, "SELECT seq FROM records WHERE seq > ? AND seq <= ? AND kind = ? AND ts < ? ORDER BY seq LIMIT ?", after, int64(l.Head()), string(kind), before, limit)
	if err != nil {
		return nil, explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		var seq int64
		if err := rows.Scan(&seq); err != nil {
			return nil, explain(err)
		}
		seqs = append(seqs, seq)
	}
	return seqs, explain(rows.Err())
}

func (l *Ledger) countKind(ctx context.Context, kind contracts.Kind) (n int, err error) {
	if err := l.use(); err != nil {
		return 0, err
	}
	defer l.using.RUnlock()
	err = l.reads.QueryRowContext(ctx, "SELECT records FROM kinds WHERE kind = ?", string(kind)).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return n, explain(err)
}
