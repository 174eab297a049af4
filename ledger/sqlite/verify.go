package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// Verify reads the whole ledger and returns an error for the first sign of damage that it finds.
// The error wraps ledger.ErrCorrupt; for a damaged record, it is a *ledger.CorruptError. Verify
// takes as long as reading the file; appends are not blocked.
func (l *Ledger) Verify(ctx context.Context) error {
	if err := l.beginRead(); err != nil {
		return err
	}
	defer l.using.RUnlock()
	_, err := l.verify(ctx)
	return l.noteDamage(err)
}

// Inspect verifies the ledger and returns a report. It also returns an error if records are known
// to be missing.
func (l *Ledger) Inspect(ctx context.Context) (ledger.Report, error) {
	if err := l.beginRead(); err != nil {
		return ledger.Report{}, err
	}
	defer l.using.RUnlock()
	missing, err := l.verify(ctx)
	if err != nil {
		return ledger.Report{}, l.noteDamage(err)
	}
	if err := l.Damage(); err != nil { // records are missing or the file was replaced
		return ledger.Report{}, err
	}
	st := l.state.Load()
	r := ledger.Report{LedgerID: l.id, Head: st.head, Link: st.link.String(), Floor: st.floor, Missing: missing}
	err = l.reads.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM records WHERE seq <= ?), (SELECT count(*) FROM blobs),
		(SELECT count(*) FROM records WHERE `+redactedColumn+`),
		coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = ?), 0)`, int64(st.head), chainAfter).
		Scan(&r.Records, &r.Blobs, &r.Redacted, &r.ChainedAfter)
	return r, explain(err)
}

// verify checks everything, and counts the pieces of content that records refer to but the ledger
// lacks. Missing content alone is not damage: it may have been missing already when the records were
// imported or salvaged.
func (l *Ledger) verify(ctx context.Context) (missing int64, err error) {
	tx, err := l.reads.BeginTx(ctx, nil) // all checks see the same state of the file
	if err != nil {
		return 0, explain(err)
	}
	defer tx.Rollback()
	named := map[string]bool{}
	// Check records first, because their errors name a seq.
	if err := l.verifyRecords(ctx, tx, named); err != nil {
		return 0, err
	}
	if err := verifyBlobs(ctx, tx, named); err != nil {
		return 0, err
	}
	var found string
	if err := tx.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&found); err != nil {
		return 0, explain(err)
	}
	if found != "ok" {
		return 0, fmt.Errorf("%w: %s", ledger.ErrCorrupt, found)
	}
	return int64(len(named)), nil
}

// verifyRecords checks all records. It adds every content hash that they contain to named.
func (l *Ledger) verifyRecords(ctx context.Context, tx *sql.Tx, named map[string]bool) error {
	head, floor, err := readHead(ctx, tx)
	if err != nil {
		return err
	}
	segments, err := readSegments(ctx, tx)
	if err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, proofColumns+"ORDER BY seq")
	if err != nil {
		return explain(err)
	}
	defer rows.Close()
	next, counts := floor+1, map[contracts.Kind]int64{}
	c := chainCheck{db: tx, segments: segments, link: ledger.ChainStart(l.root)}
	var stones tombstones
	for rows.Next() {
		var r contracts.Record
		p, err := l.scanWithProof(rows, &r)
		if err != nil {
			return err
		}
		if r.Seq > floor {
			if r.Seq != next {
				return &ledger.CorruptError{Seq: next, Reason: "is missing"}
			}
			next++
		}
		if err := c.next(ctx, &r, p); err != nil {
			return err
		}
		stones.observe(&r, p)
		counts[r.Kind]++
		names, _ := r.ContentHashes() // fails for records from a later version
		for _, name := range names {
			named[name] = true
		}
	}
	if err := rows.Err(); err != nil {
		return explain(err)
	}
	if next != head+1 {
		return &ledger.CorruptError{Seq: next, Reason: "is missing"}
	}
	if _, at, err := linkBefore(ctx, tx, l.root, head); err != nil || at != head {
		return errors.Join(err, &ledger.CorruptError{Seq: head, Reason: "has no link in the chain"})
	}
	if err := stones.check(); err != nil {
		return err
	}
	counted, err := countKinds(ctx, tx)
	if err == nil && !maps.Equal(counts, counted) {
		return fmt.Errorf("%w: record counts by kind are %v, but %v were counted when the records were written", ledger.ErrCorrupt, counts, counted)
	}
	if err != nil {
		return err
	}
	return verifyPlaces(ctx, tx)
}

// verifyPlaces returns an error if reads by kind would miss a record.
func verifyPlaces(ctx context.Context, tx *sql.Tx) error {
	var seq int64
	err := tx.QueryRowContext(ctx, "SELECT seq FROM records WHERE NOT EXISTS (SELECT 1 FROM places WHERE places.kind = records.kind AND block = seq / ?) LIMIT 1", placeBlock).Scan(&seq)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return explain(err)
	}
	return fmt.Errorf("%w: record %d is missing from the index by kind", ledger.ErrCorrupt, seq)
}

// verifyBlobs checks all content. For each blob that it finds, it removes the hash from named.
func verifyBlobs(ctx context.Context, tx *sql.Tx, named map[string]bool) error {
	rows, err := tx.QueryContext(ctx, "SELECT sha256, content FROM blobs")
	if err != nil {
		return explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var content sql.RawBytes
		if err := rows.Scan(&name, &content); err != nil {
			return explain(err)
		}
		if blobName(content) != name {
			return fmt.Errorf("content %s does not match its hash: %w", name, ledger.ErrCorrupt)
		}
		delete(named, name)
	}
	return explain(rows.Err())
}
