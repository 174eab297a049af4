package sqlite

import (
	"context"
	"database/sql"
	"strconv"

	"github.com/bullpen-office/bullpen/ledger"
)

// upgradeBatch is the number of records that are chained in one transaction.
const upgradeBatch = 20_000

// chainAfter marks a ledger that was created before the chain existed, and stores the seq up to
// which the upgrade chained the records as it found them.
const chainAfter = "chained_after"

// upgrade chains the records of a format 1 file, in transactions of upgradeBatch records. An
// interrupted upgrade continues where it stopped. It returns an error if a record does not match
// its checksum.
func (l *Ledger) upgrade(ctx context.Context) error {
	if _, err := l.writes.ExecContext(ctx, chainSchema); err != nil {
		return explain(err)
	}
	head, _, err := readHead(ctx, l.writes)
	if err != nil {
		return err
	}
	tell := l.progress("upgrading the ledger: chaining records", upgradeBatch)
	for more := true; more; {
		var at uint64
		if at, more, err = l.chainSome(ctx); err != nil {
			return err
		}
		tell(at, head)
	}
	l.config.Logger.Info("ledger upgraded: records are now hash-chained", "ledger", l.name(), "records_up_to", head)
	return inTransaction(ctx, l.writes, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "ALTER TABLE records ADD COLUMN proof BLOB"); err != nil {
			return explain(err)
		}
		link, _, err := lastProof(ctx, tx, ledger.ChainStart(l.root))
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO proofs SELECT ?, ? WHERE ? > 0", int64(head), link[:], int64(head)); err != nil { // retention may have removed the record at the head
			return explain(err)
		}
		_, err = tx.ExecContext(ctx, "INSERT OR REPLACE INTO meta VALUES ('format', ?), (?, ?)", strconv.Itoa(formatVersion), chainAfter, strconv.FormatUint(head, 10))
		return explain(err)
	})
}

// chainSome chains the next batch of records that are not chained yet. It returns the last chained
// seq, and whether there may be more.
func (l *Ledger) chainSome(ctx context.Context) (at uint64, more bool, err error) {
	err = inTransaction(ctx, l.writes, func(tx *sql.Tx) error {
		link, last, err := lastProof(ctx, tx, ledger.ChainStart(l.root))
		if err != nil {
			return err
		}
		at = last
		rows, err := tx.QueryContext(ctx, columnsUnchained+"WHERE seq > ? ORDER BY seq LIMIT ?", int64(at), upgradeBatch)
		if err != nil {
			return explain(err)
		}
		recs, err := l.scanAll(rows, nil, nil)
		if err != nil {
			return err
		}
		insert, err := tx.PrepareContext(ctx, "INSERT INTO proofs VALUES (?, ?)")
		if err != nil {
			return explain(err)
		}
		defer insert.Close()
		var p proof
		for i := range recs {
			p, link = appendProof(p[:0], link, &recs[i], sealBody(ledger.Salt{}, recs[i].Body))
			if _, err := insert.ExecContext(ctx, int64(recs[i].Seq), []byte(p)); err != nil {
				return explain(err)
			}
			at = recs[i].Seq
		}
		more = len(recs) == upgradeBatch
		return nil
	})
	return at, more, err
}

// lastProof returns the link and seq of the last chained record in an older file.
func lastProof(ctx context.Context, tx *sql.Tx, start ledger.Link) (link ledger.Link, at uint64, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT seq, proof FROM proofs ORDER BY seq DESC LIMIT 1")
	if err != nil {
		return link, 0, explain(err)
	}
	defer rows.Close()
	link = start
	for rows.Next() {
		var p proof
		if err := rows.Scan(&at, (*[]byte)(&p)); err != nil {
			return link, at, explain(err)
		}
		var ok bool
		if link, ok = p.link(); !ok {
			return link, at, &ledger.CorruptError{Seq: at, Reason: "has no valid link in the chain"}
		}
	}
	return link, at, explain(rows.Err())
}

func inTransaction(ctx context.Context, db *sql.DB, fn func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return explain(err)
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		return err
	}
	return explain(tx.Commit())
}
