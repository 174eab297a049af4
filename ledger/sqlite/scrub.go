package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/bullpen-office/bullpen/ledger"
)

// scrubShare makes Scrub spend one tenth of its time reading and the rest pausing.
const scrubShare = 10

// Scrub reads the whole ledger, a page at a time with pauses, so that it does not slow down a
// running office. It returns an error for the first sign of damage that it finds; Damage then
// returns the same error. Verify checks more, without pauses.
func (l *Ledger) Scrub(ctx context.Context) error {
	if err := l.scrubRecords(ctx); err != nil {
		return err
	}
	if err := l.scrubBlobs(ctx); err != nil {
		return err
	}
	return l.scrubPages(ctx)
}

func (l *Ledger) scrubRecords(ctx context.Context) error {
	for block, head := int64(0), l.Head(); block <= blockOf(head); block++ {
		began := time.Now()
		if err := l.scrubBlock(ctx, block); err != nil {
			return l.noteDamage(err)
		}
		if err := throttle(ctx, time.Since(began)); err != nil {
			return err
		}
	}
	return nil
}

func (l *Ledger) scrubBlock(ctx context.Context, block int64) error {
	if err := l.beginRead(); err != nil {
		return err
	}
	defer l.using.RUnlock()
	return l.verifyBlocks(ctx, uint64(block)*placeBlock, uint64(block)*placeBlock)
}

// scrubPages makes SQLite check its own pages. It runs last because it does not pause.
func (l *Ledger) scrubPages(ctx context.Context) error {
	if err := l.beginRead(); err != nil {
		return err
	}
	defer l.using.RUnlock()
	var found string
	if err := l.reads.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&found); err != nil {
		return l.noteDamage(explain(err))
	}
	if found != "ok" {
		return l.noteDamage(corruptf("%s", found))
	}
	return nil
}

func (l *Ledger) scrubBlobs(ctx context.Context) error {
	for name := ""; ; {
		began := time.Now()
		next, err := l.scrubBlob(ctx, name)
		if err != nil || next == "" {
			return l.noteDamage(err)
		}
		name = next
		if err := throttle(ctx, time.Since(began)); err != nil {
			return err
		}
	}
}

// scrubBlob checks the first content whose hash sorts after the given hash, and returns that
// content's hash, or "" if there is none.
func (l *Ledger) scrubBlob(ctx context.Context, after string) (name string, err error) {
	if err := l.beginRead(); err != nil {
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

// throttle pauses in proportion to the time worked. It returns ctx's error if ctx is done first.
func throttle(ctx context.Context, worked time.Duration) error {
	timer := time.NewTimer(max(worked*(scrubShare-1), time.Millisecond))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
