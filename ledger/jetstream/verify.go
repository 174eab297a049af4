package jetstream

import (
	"context"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// Verify reads everything and returns an error for the first sign of damage that it finds. The
// error wraps ledger.ErrCorrupt; for a damaged record, it is a *ledger.CorruptError.
func (l *Ledger) Verify(ctx context.Context) error {
	_, err := l.verify(ctx)
	return err
}

// verify does the work of Verify and counts the redacted records.
func (l *Ledger) verify(ctx context.Context) (redacted int64, err error) {
	if err := l.usable(ctx); err != nil {
		return 0, err
	}
	if redacted, err = l.verifyRecords(ctx); err != nil {
		return 0, l.noteDamage(err)
	}
	return redacted, l.noteDamage(l.list(ctx, contentPrefix+".*", func(name string, m message) error {
		_, _, err := l.Blob(ctx, strings.TrimPrefix(name, contentPrefix+"."))
		return err
	}))
}

// verifyRecords walks the chain. After a gap left by retention, the link from the next record to its
// removed predecessor cannot be verified and is accepted as is.
func (l *Ledger) verifyRecords(ctx context.Context) (redacted int64, err error) {
	if err := l.catchUp(ctx); err != nil {
		return 0, err
	}
	st := l.state.Load()
	link, at := ledger.ChainStart(l.id), uint64(0)
	for after := uint64(0); after < st.head; {
		page, next, err := l.page(ctx, after, st.head, contracts.LimitFollowBatch, nil)
		if err != nil {
			return 0, err
		}
		for i := range page {
			e := &page[i]
			if e.Seq == at+1 && e.before != link {
				return 0, &ledger.CorruptError{Seq: e.Seq, Reason: "does not continue the chain of the records before it"}
			}
			link, at = e.link(), e.Seq
			if e.Redacted {
				redacted++
			}
		}
		after = next
	}
	if at == st.head && link != st.link {
		return 0, &ledger.CorruptError{Seq: at, Reason: "is not the record that was appended"}
	}
	return redacted, nil
}
