package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// writer is the committer's access to the file: prepared statements and the open transaction. It
// uses the driver directly, because database/sql costs as much as the insert itself.
type writer struct {
	db       *sql.DB
	sums     checksummer
	segments segments
	proof    proof // scratch buffer

	conn       driver.Conn
	statements map[string]driver.Stmt
	args       []driver.NamedValue

	// headUncertain is set after a failed transaction: the next transaction first compares the file's
	// head with the writer's.
	headUncertain bool

	placed map[contracts.Kind]int64 // the last stored block of each kind

	// State of the open transaction.
	head     uint64
	link     ledger.Link // link of the last record
	floor    uint64      // the new floor; 0 if unchanged
	accepted []contracts.Record
	seals    []seal // one for each accepted record
	inserted int    // how many of the accepted records have been inserted
	keys     map[string]struct{}
	counts   map[contracts.Kind]int64
	redacted []contracts.Record // records whose text was erased
}

func newWriter(db *sql.DB, sums checksummer, segments segments) *writer {
	return &writer{db: db, sums: sums, segments: segments, statements: map[string]driver.Stmt{}, keys: map[string]struct{}{}, counts: map[contracts.Kind]int64{}, placed: map[contracts.Kind]int64{}}
}

// transact runs fn and the inserts it requested in one transaction. The transaction is durable once
// transact has returned nil.
func (w *writer) transact(head uint64, link ledger.Link, fn func() error) error {
	conn, err := w.db.Conn(context.Background())
	if err != nil {
		return explain(err)
	}
	defer conn.Close()
	return conn.Raw(func(dc any) error {
		if c := dc.(driver.Conn); c != w.conn {
			w.close()
			w.conn = c
		}
		w.begin(head, link)
		if err := w.run(fn); err != nil {
			w.headUncertain = true
			clear(w.placed)    // the entries were rolled back
			w.exec("ROLLBACK") // SQLite may have rolled back already
			return explain(err)
		}
		w.headUncertain = false
		return nil
	})
}

func (w *writer) begin(head uint64, link ledger.Link) {
	w.head, w.link, w.floor = head, link, 0
	clear(w.accepted) // so that their bodies can be freed
	w.accepted, w.seals, w.inserted = w.accepted[:0], w.seals[:0], 0
	w.redacted = nil
	clear(w.keys)
	clear(w.counts)
}

func (w *writer) run(fn func() error) error {
	if err := w.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if w.headUncertain {
		if err := w.compareHead(); err != nil {
			return err
		}
	}
	if err := fn(); err != nil {
		return err
	}
	if err := w.insert(); err != nil {
		return err
	}
	for kind, n := range w.counts {
		if err := w.exec("INSERT INTO kinds VALUES (?, ?) ON CONFLICT (kind) DO UPDATE SET records = records + excluded.records", string(kind), n); err != nil {
			return err
		}
	}
	if w.floor > 0 {
		if err := w.exec("UPDATE meta SET value = ? WHERE name = 'floor'", strconv.FormatUint(w.floor, 10)); err != nil {
			return err
		}
	}
	return w.exec("COMMIT")
}

// compareHead returns an error if the file's head is not w.head. They differ if another program wrote
// to the file, or if a transaction that was reported as failed is in the file after all.
func (w *writer) compareHead() error {
	row, err := w.row("SELECT max(coalesce((SELECT max(seq) FROM records), 0), (SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'floor'))")
	if err != nil {
		return err
	}
	if head, ok := row[0].(int64); !ok || uint64(head) != w.head {
		return fmt.Errorf("the ledger ends at record %v, but this office last wrote record %d: another program changed the file, or a write that failed was saved after all; restart the office", row[0], w.head)
	}
	return nil
}

// accept checks an append against the head and the keys, and numbers its records. It sets r.err if
// the request is refused; the returned error means that the file could not be read.
func (w *writer) accept(r *request) error {
	if r.after != ledger.AnySeq {
		if r.after != w.head {
			r.err = &ledger.StaleError{Expected: r.after, Head: w.head}
			return nil
		}
		for i := range r.recs {
			if want := w.head + uint64(i) + 1; r.recs[i].Seq != want {
				r.err = fmt.Errorf("ledger: record %d of the batch has seq %d, want %d: number records from the expected head", i, r.recs[i].Seq, want)
				return nil
			}
		}
	}
	if duplicate, ok, err := w.claimKeys(r.recs, r.absent); err != nil {
		return err
	} else if !ok {
		r.err = fmt.Errorf("%w: %s", ledger.ErrDuplicateKey, duplicate)
		return nil
	}
	for i := range r.recs {
		if w.head++; r.after == ledger.AnySeq { // otherwise the caller numbered them, and may be reading them
			r.recs[i].Seq = w.head
		}
	}
	w.add(r.recs, r.seals)
	return nil
}

// add queues numbered records for insertion.
func (w *writer) add(recs []contracts.Record, seals []seal) {
	w.accepted = append(w.accepted, recs...)
	w.seals = append(w.seals, seals...)
}

// claimKeys claims all keys of a request. If one is taken, it claims none and returns that key and
// false. Keys in absent are not in the file.
func (w *writer) claimKeys(recs []contracts.Record, absent map[string]struct{}) (duplicate string, ok bool, err error) {
	for i := range recs {
		key := recs[i].Key
		if key == "" {
			continue
		}
		_, taken := w.keys[key]
		if _, free := absent[key]; !taken && !free {
			row, err := w.row("SELECT 1 FROM records WHERE key = ?", key)
			if err != nil {
				return "", false, err
			}
			taken = row != nil
		}
		if taken {
			for _, r := range recs[:i] {
				delete(w.keys, r.Key)
			}
			return key, false, nil
		}
		w.keys[key] = struct{}{}
	}
	return "", true, nil
}

// insert writes the accepted records that are not in the file yet.
func (w *writer) insert() error {
	for ; w.inserted < len(w.accepted); w.inserted++ {
		r := &w.accepted[w.inserted]
		w.counts[r.Kind]++
		if w.inserted == 0 {
			w.link = w.segments.begin(w.link, r.Seq-1)
		}
		w.proof, w.link = appendProof(w.proof[:0], w.link, r, w.seals[w.inserted])
		if err := w.exec("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			int64(r.Seq), r.TS, string(r.Kind), r.ID, nullable(r.Key), present(r.Body), int64(w.sums.sum(r)), []byte(w.proof)); err != nil {
			return err
		}
		if err := w.insertPlace(r); err != nil {
			return err
		}
	}
	return nil
}

func nullable(key string) driver.Value {
	if key == "" {
		return nil
	}
	return key
}

// present returns an empty value for a nil body, because nil would be stored as NULL.
func present(body []byte) driver.Value {
	if body == nil {
		return []byte{}
	}
	return body
}

func (w *writer) exec(query string, values ...driver.Value) error {
	s, err := w.statement(query)
	if err != nil {
		return err
	}
	_, err = s.(driver.StmtExecContext).ExecContext(context.Background(), w.bind(values))
	return err
}

// row returns the first row of a query, or nil if there is none.
func (w *writer) row(query string, values ...driver.Value) ([]driver.Value, error) {
	s, err := w.statement(query)
	if err != nil {
		return nil, err
	}
	rows, err := s.(driver.StmtQueryContext).QueryContext(context.Background(), w.bind(values))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	row := make([]driver.Value, len(rows.Columns()))
	if err := rows.Next(row); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return row, nil
}

func (w *writer) statement(query string) (driver.Stmt, error) {
	if s := w.statements[query]; s != nil {
		return s, nil
	}
	s, err := w.conn.Prepare(query)
	if err != nil {
		return nil, err
	}
	w.statements[query] = s
	return s, nil
}

func (w *writer) bind(values []driver.Value) []driver.NamedValue {
	w.args = w.args[:0]
	for i, v := range values {
		w.args = append(w.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return w.args
}

// checkpointWAL checkpoints the log. It closes the statements first, because they keep the log
// open.
func (w *writer) checkpointWAL(ctx context.Context) error {
	w.close()
	_, err := w.db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return explain(err)
}

func (w *writer) close() {
	for query, s := range w.statements {
		s.Close()
		delete(w.statements, query)
	}
}
