package sqlite

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// placesSchema creates the places table, an index for reading the records of one kind. For each
// kind, the table lists the blocks of placeBlock sequence numbers in which the kind occurs. An
// index entry for every record would slow down appends.
//
// The table may list a block that no longer contains the kind, but it never misses a block that
// does. Blocks are stored in order, so the table is complete up to its last block. Later blocks are
// added when the file is opened.
const placesSchema = `CREATE TABLE IF NOT EXISTS places (kind TEXT NOT NULL, block INTEGER NOT NULL, PRIMARY KEY (kind, block)) WITHOUT ROWID`

const (
	placeBlock  = 256     // records per block
	placeBatch  = 100_000 // records indexed per transaction when a file is opened
	placeRanges = 256     // blocks that a read looks up at a time
)

func blockOf(seq uint64) int64 { return int64(seq / placeBlock) }

// insertPlace stores the block that contains r, unless it was the last block stored for r's kind.
func (w *writer) insertPlace(r *contracts.Record) error {
	block := blockOf(r.Seq)
	if last, ok := w.placed[r.Kind]; ok && last == block {
		return nil
	}
	w.placed[r.Kind] = block
	return w.exec("INSERT OR IGNORE INTO places VALUES (?, ?)", string(r.Kind), block)
}

// deletePlaces deletes the blocks that contained removed records and no longer contain any record of
// the kind.
func (w *writer) deletePlaces(kind contracts.Kind, removed []removal) error {
	last := int64(-1)
	for _, d := range removed {
		block := blockOf(uint64(d.seq))
		if block == last {
			continue
		}
		last = block
		if err := w.exec("DELETE FROM places WHERE kind = ? AND block = ? AND NOT EXISTS (SELECT 1 FROM records WHERE seq >= ? AND seq < ? AND kind = ?)",
			string(kind), block, block*placeBlock, (block+1)*placeBlock, string(kind)); err != nil {
			return err
		}
	}
	delete(w.placed, kind) // the next record of this kind stores its block again
	return nil
}

// fillPlaces stores the blocks of records that are not in the table yet, in transactions of
// placeBatch records. After an interrupted start, it continues where it left off.
func fillPlaces(ctx context.Context, db *sql.DB, head uint64, progress func(done, of uint64)) error {
	if _, err := db.ExecContext(ctx, placesSchema); err != nil {
		return explain(err)
	}
	var block uint64
	if err := db.QueryRowContext(ctx, "SELECT coalesce(max(block), 0) FROM places").Scan(&block); err != nil {
		return explain(err)
	}
	from := max(block*placeBlock, 1) - 1
	for at := from; at < head; {
		if err := ctx.Err(); err != nil {
			return err
		}
		next := min(at+placeBatch, head)
		if err := insertPlaceRange(ctx, db, at, next); err != nil {
			return err
		}
		at = next
		progress(at-from, head-from)
	}
	return nil
}

func insertPlaceRange(ctx context.Context, db *sql.DB, after, upTo uint64) error {
	_, err := db.ExecContext(ctx, "INSERT OR IGNORE INTO places SELECT DISTINCT kind, seq / ? FROM records WHERE seq > ? AND seq <= ?", placeBlock, int64(after), int64(upTo))
	return explain(err)
}

// progress returns a function that logs the progress of a slow one-time step, such as indexing a
// file from an older version. Steps that cover fewer records than least are not logged.
func (l *Ledger) progress(what string, least uint64) func(done, of uint64) {
	began, logged := time.Now(), time.Time{}
	return func(done, of uint64) {
		if of < least || done < of && time.Since(logged) < time.Second {
			return
		}
		logged = time.Now()
		l.config.Logger.Info(what, "records", done, "of", of, "elapsed", time.Since(began).Round(time.Millisecond))
	}
}

// span is a range of sequence numbers, both ends included.
type span struct{ first, last uint64 }

// spans returns the next ranges after a seq, limited to those that may contain records of the given
// kinds, and whether there may be more.
func spans(ctx context.Context, db source, after, upTo uint64, kinds []contracts.Kind) (found []span, more bool, err error) {
	args := make([]any, 0, len(kinds)+3)
	for _, k := range kinds {
		args = append(args, string(k))
	}
	args = append(args, blockOf(after+1), blockOf(upTo), placeRanges)
	rows, err := db.QueryContext(ctx, "SELECT DISTINCT block FROM places WHERE kind IN ("+marks(len(kinds))+") AND block >= ? AND block <= ? ORDER BY block LIMIT ?", args...)
	if err != nil {
		return nil, false, explain(err)
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var block uint64
		if err := rows.Scan(&block); err != nil {
			return nil, false, explain(err)
		}
		s := span{max(block*placeBlock, after+1), min((block+1)*placeBlock-1, upTo)}
		if i := len(found) - 1; i >= 0 && found[i].last+1 == s.first {
			found[i].last = s.last
		} else {
			found = append(found, s)
		}
	}
	return found, n == placeRanges, explain(rows.Err())
}

func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }
