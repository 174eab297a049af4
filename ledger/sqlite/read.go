package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// queries contains the prepared statements of frequent reads.
type queries struct {
	page, key, blob *sql.Stmt
}

// redactedColumn is an SQL expression that is true for a tombstone. It checks only
// the size of the proof in the row: the row of a tombstone always contains the proof.
var redactedColumn = fmt.Sprintf("coalesce(length(proof) IN (%d, %d), 0)", redactedSize, importedSize)

var columns = "SELECT seq, ts, kind, id, key, body, " + redactedColumn + ", sum FROM records "

// columnsUnchained selects records in a file that has no chain yet.
const columnsUnchained = "SELECT seq, ts, kind, id, key, body, 0, sum FROM records "

func (q *queries) prepare(ctx context.Context, db *sql.DB) (err error) {
	if q.page, err = db.PrepareContext(ctx, columns+"WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?"); err != nil {
		return explain(err)
	}
	if q.key, err = db.PrepareContext(ctx, columns+"WHERE key = ? AND seq <= ?"); err != nil {
		return explain(err)
	}
	q.blob, err = db.PrepareContext(ctx, "SELECT content FROM blobs WHERE sha256 = ?")
	return explain(err)
}

func (q *queries) close() error {
	var errs []error
	for _, s := range []*sql.Stmt{q.page, q.key, q.blob} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// Read returns up to limit records after the given seq, in order. If kinds are given, it returns
// only records of those kinds. Bodies are shared and must not be changed.
func (l *Ledger) Read(ctx context.Context, after uint64, limit int, kinds ...contracts.Kind) ([]contracts.Record, error) {
	if err := l.beginRead(); err != nil {
		return nil, err
	}
	defer l.using.RUnlock()
	if limit <= 0 {
		return nil, ctx.Err()
	}
	st := l.state.Load()
	if recs, ok := st.since(after); ok {
		return choose(recs, limit, kinds), ctx.Err()
	}
	if len(kinds) == 0 {
		recs, err := l.readContiguous(ctx, after, st.head, limit)
		return recs, l.noteDamage(err)
	}
	recs, err := l.readPage(ctx, after, st.head, limit, kinds)
	if err != nil {
		return nil, l.noteDamage(err)
	}
	last := st.head
	if n := len(recs); n == limit {
		last = recs[n-1].Seq
	}
	return recs, l.noteDamage(l.verifyBlocks(ctx, after+1, last))
}

func choose(recs []contracts.Record, limit int, kinds []contracts.Kind) []contracts.Record {
	if len(kinds) == 0 {
		return slices.Clone(recs[:min(limit, len(recs))])
	}
	var chosen []contracts.Record
	for _, r := range recs {
		if slices.Contains(kinds, r.Kind) {
			if chosen = append(chosen, r); len(chosen) == limit {
				break
			}
		}
	}
	return chosen
}

// readPage reads a page from the file, never beyond upTo, because a commit is in the file a moment
// before Head includes it.
func (l *Ledger) readPage(ctx context.Context, after, upTo uint64, limit int, kinds []contracts.Kind) (recs []contracts.Record, err error) {
	recs = make([]contracts.Record, 0, min(uint64(limit), upTo-min(after, upTo), contracts.LimitFollowBatch))
	if len(kinds) == 0 {
		rows, err := l.query.page.QueryContext(ctx, int64(after), int64(upTo), limit)
		return l.scanAll(rows, err, recs)
	}
	for more := true; more && len(recs) < limit && after < upTo; {
		var found []span
		if found, more, err = spans(ctx, l.reads, after, upTo, kinds); err != nil {
			return nil, err
		}
		for _, s := range found {
			if recs, err = l.readSpan(ctx, s, limit-len(recs), kinds, recs); err != nil {
				return nil, err
			}
			if after = s.last; len(recs) >= limit {
				break
			}
		}
	}
	return recs, nil
}

// readSpan appends to recs the records in s that are of the given kinds.
func (l *Ledger) readSpan(ctx context.Context, s span, limit int, kinds []contracts.Kind, recs []contracts.Record) ([]contracts.Record, error) {
	args := []any{int64(s.first), int64(s.last)}
	for _, k := range kinds {
		args = append(args, string(k))
	}
	rows, err := l.reads.QueryContext(ctx, columns+"WHERE seq >= ? AND seq <= ? AND kind IN ("+marks(len(kinds))+") ORDER BY seq LIMIT ?", append(args, limit)...)
	return l.scanAll(rows, err, recs)
}

func (l *Ledger) scanAll(rows *sql.Rows, err error, recs []contracts.Record) ([]contracts.Record, error) {
	if err != nil {
		return nil, explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		var r contracts.Record
		if err := l.scan(rows, &r); err != nil {
			return nil, err
		}
		recs = append(recs, r)
	}
	return recs, explain(rows.Err())
}

// scan reads one row and verifies its checksum.
func (l *Ledger) scan(row interface{ Scan(...any) error }, r *contracts.Record) error {
	var sum int64
	if err := scanRecord(row, r, &sum); err != nil {
		return err
	}
	return l.sums.check(r, sum)
}

// scanRecord reads a record's columns, and stores any further columns of the query in more.
func scanRecord(row interface{ Scan(...any) error }, r *contracts.Record, more ...any) error {
	var seq int64
	var kind string
	var key sql.NullString
	if err := row.Scan(append([]any{&seq, &r.TS, &kind, &r.ID, &key, &r.Body, &r.Redacted}, more...)...); err != nil {
		return explain(err)
	}
	r.Seq, r.Kind, r.Key = uint64(seq), contracts.Kind(kind), key.String
	return nil
}
