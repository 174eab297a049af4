package sim

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

func (l *memoryLedger) Retain(ctx context.Context, now time.Time, rules []ledger.Rule) (removed int, err error) {
	if err := l.lock(ctx); err != nil {
		return 0, err
	}
	defer l.mu.Unlock()
	for _, rule := range rules {
		removed += l.retain(now, rule)
	}
	return removed, nil
}

// retain removes the records that a rule selects, oldest first. The caller must hold the lock.
func (m *Memory) retain(now time.Time, rule ledger.Rule) (removed int) {
	excess := 0
	for i := range m.recs {
		if m.recs[i].Kind == rule.Kind && rule.MaxCount > 0 {
			excess++
		}
	}
	excess -= rule.MaxCount
	old := rule.MaxAge > 0
	m.recs = slices.DeleteFunc(slices.Clone(m.recs), func(r contracts.Record) bool {
		if r.Kind != rule.Kind || rule.UpTo > 0 && r.Seq > rule.UpTo {
			return false
		}
		old = old && r.TS < now.Add(-rule.MaxAge).UnixMilli()
		if _, kept := slices.BinarySearch(rule.Keep, r.Seq); kept || !old && excess <= removed {
			return false
		}
		removed++
		m.floor = max(m.floor, r.Seq)
		delete(m.keys, r.Key)
		if rule.Owns != nil {
			delete(m.blobs, rule.Owns(&r))
		}
		return true
	})
	return removed
}

func (l *memoryLedger) Redact(ctx context.Context, after uint64, erasures []ledger.Erasure) error {
	if err := l.lock(ctx); err != nil {
		return err
	}
	defer l.mu.Unlock()
	confirmations := make([]contracts.Record, len(erasures))
	for i, e := range erasures {
		if l.find(e.Seq) == nil {
			return fmt.Errorf("redact record %d: %w", e.Seq, ledger.ErrNoRecord)
		}
		confirmations[i] = e.Record
	}
	if err := l.append(after, confirmations); err != nil {
		return err
	}
	for _, e := range erasures {
		r := l.find(e.Seq)
		*r = contracts.Record{Seq: r.Seq, TS: r.TS, Kind: r.Kind, ID: r.ID, Key: r.Key, Body: e.Body, Redacted: true}
		for _, name := range e.Contents {
			delete(l.blobs, name)
		}
	}
	l.checkpoint = nil
	return nil
}
