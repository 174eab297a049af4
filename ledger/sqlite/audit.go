package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/bullpen-office/bullpen/ledger"
)

const (
	auditBatch = 256 // records per read
	auditShare = 10  // one part work, nine parts rest
)

// Audit reads what is in the ledger now, a page at a time with rests between, so
// that a running office does not feel it. It reports the first record or content
// that is not what was written, and Damage remembers it. Verify looks at more,
// but in one go.
func (l *Ledger) Audit(ctx context.Context) error {
	if err := l.auditRecords(ctx); err != nil {
		return err
	}
	return l.auditBlobs(ctx)
}

func (l *Ledger) auditRecords(ctx context.Context) error {
	upTo := l.Head()
	for after := uint64(0); after < upTo; {
		began := time.Now()
		last, err := l.auditPage(ctx, after, upTo)
		if err != nil {
			return l.notice(err)
		}
		after = last
		if err := rest(ctx, time.Since(began)); err != nil {
			return err
		}
	}
	return nil
}

// auditPage checks the page after a seq and returns where the next one begins.
func (l *Ledger) auditPage(ctx context.Context, after, upTo uint64) (last uint64, err error) {
	if err := l.use(); err != nil {
		return 0, err
	}
	defer l.using.RUnlock()
	recs, err := l.readPage(ctx, after, upTo, auditBatch, nil)
	if err != nil {
		return 0, err
	}
	if len(recs) > 0 {
		return recs[len(recs)-1].Seq, l.checkWhole(ctx, after, recs)
	}
	floor, err := readFloor(ctx, l.reads)
	if err == nil && floor < upTo {
		err = &ledger.CorruptError{Seq: after + 1, Reason: "is missing"}
	}
	return upTo, err
}

func (l *Ledger) auditBlobs(ctx context.Context) error {
	for name := ""; ; {
		began := time.Now()
		next, err := l.auditBlob(ctx, name)
		if err != nil || next == "" {
			return l.notice(err)
		}
		name = next
		if err := rest(ctx, time.Since(began)); err != nil {
			return err
		}
	}
}

// auditBlob checks the content after a name and returns its name, "" at the end.
func (l *Ledger) auditBlob(ctx context.Context, after string) (name string, err error) {
	if err := l.use(); err != nil {
		return "", err
	}
	defer l.using.RUnlock()
	var content []byte
	err = l.reads.QueryRowContext(ctx, "SELECT sha256, content FROM blobs WHERE sha256 > ? ORDER BY sha256 LIMIT 1", after).Scan(&name, &content)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err == nil && blobName(content) != name {
		err = fmt.Errorf("content %s does not match its hash: %w", name, ledger.ErrCorrupt)
	}
	return name, explain(err)
}

// rest waits in proportion to the work that was done.
func rest(ctx context.Context, worked time.Duration) error {
	timer := time.NewTimer(max(worked*(auditShare-1), time.Millisecond))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
