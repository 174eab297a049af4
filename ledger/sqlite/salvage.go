package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// Salvaged reports how much Salvage copied, and how much is known to be lost.
type Salvaged struct {
	From     string `json:"from_ledger_id"`
	LedgerID string `json:"ledger_id"`
	Records  int64  `json:"records"`
	UpTo     uint64 `json:"up_to"`            // the last record that was read
	Break    string `json:"break,omitzero"`   // why the copy ends at UpTo; empty if nothing is damaged
	Lost     uint64 `json:"lost,omitzero"`    // records after UpTo that are known to be lost
	Blobs    int64  `json:"blobs"`            // pieces of content
	Missing  int64  `json:"missing,omitzero"` // pieces of content that could not be read
}

// Salvage copies the records of a damaged ledger, up to the first damaged record, into a new
// ledger, which must not exist yet. The damaged files are not changed.
func Salvage(ctx context.Context, from, to string) (done Salvaged, err error) {
	lock, err := lockFile(from + ".lock")
	if err != nil {
		return done, err
	}
	defer lock.release()
	s, err := openDamaged(ctx, from)
	if err != nil {
		return done, err
	}
	defer s.db.Close()
	if err := createFile(to); err != nil {
		return done, err
	}
	defer func() {
		if err != nil {
			Remove(to)
		}
	}()
	db, err := openWriter(to)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	id, _, _, err := establish(ctx, db, true)
	if err != nil {
		return done, err
	}
	s.done.From, s.done.LedgerID = s.id, id
	w := newWriter(db, newChecksummer(id), nil)
	if err := s.save(ctx, w, ledger.ChainStart(id)); err != nil {
		return done, err
	}
	if err := w.checkpointWAL(ctx); err != nil {
		return done, err
	}
	return s.done, createWitness(to, id, max(s.done.UpTo, s.floor), s.link)
}

// damagedFile is a ledger that may be damaged anywhere.
type damagedFile struct {
	db    *sql.DB
	id    string
	of    *Ledger     // used only for its checksums
	chain *chainCheck // nil if only checksums are available
	query string
	floor uint64
	known uint64 // the last seq that the file or its witness mentions
	link  ledger.Link
	done  Salvaged

	contents map[string]bool // hashes already searched for
}

func openDamaged(ctx context.Context, path string) (*damagedFile, error) {
	db, err := openPool(address(path, "ro", "query_only(1)", busyTimeout), readConnections)
	if err != nil {
		return nil, err
	}
	s := &damagedFile{db: db, contents: map[string]bool{}}
	id, root, format, err := establish(ctx, db, false)
	if err == nil {
		s.floor, err = readFloor(ctx, db)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("no record can be salvaged: %w", err), db.Close())
	}
	s.id, s.of = id, &Ledger{root: root, sums: newChecksummer(root)}
	if s.query = columnsUnchained; format >= 2 {
		s.query = columns
		s.chain = &chainCheck{db: db, link: ledger.ChainStart(root)}
		if s.chain.segments, err = readSegments(ctx, db); err != nil {
			s.chain = nil // only checksums remain
		}
	}
	if head, _, err := readHead(ctx, db); err == nil {
		s.known = head
	}
	if seen, err := readWitness(path); err == nil && seen.ledger == id {
		s.known = max(s.known, seen.head)
	}
	return s, nil
}

// save writes all records that can be read, in transactions of at most contracts.LimitAppendBatch
// records.
func (s *damagedFile) save(ctx context.Context, w *writer, link ledger.Link) error {
	for after, more := uint64(0), true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var recs []contracts.Record
		recs, more = s.read(ctx, after)
		if err := ctx.Err(); err != nil { // otherwise the cancellation would look like damage
			return err
		}
		err := w.transact(0, link, func() error {
			for i := range recs {
				if err := s.saveContents(ctx, w, &recs[i]); err != nil {
					return err
				}
			}
			w.add(recs, sealRecords(nil, recs))
			if !more {
				w.floor = min(s.floor, s.done.UpTo)
			}
			return nil
		})
		if err != nil {
			return err
		}
		link = w.link
		after = s.done.UpTo
	}
	s.floor, s.link = min(s.floor, s.done.UpTo), link
	if s.known > s.done.UpTo {
		s.done.Lost = s.known - s.done.UpTo
	}
	return nil
}

// read returns the next records, up to the first damaged record; more is false at the end.
func (s *damagedFile) read(ctx context.Context, after uint64) (recs []contracts.Record, more bool) {
	query := s.query
	if s.chain != nil {
		query = proofColumns
	}
	rows, err := s.db.QueryContext(ctx, query+"WHERE seq > ? ORDER BY seq LIMIT "+strconv.Itoa(contracts.LimitAppendBatch), int64(after))
	if err != nil {
		return nil, s.stop(explain(err))
	}
	defer rows.Close()
	for rows.Next() {
		var r contracts.Record
		var p proof
		if s.chain != nil {
			p, err = s.of.scanWithProof(rows, &r)
		} else {
			err = s.of.scan(rows, &r)
		}
		if err == nil && r.Seq != s.done.UpTo+1 && r.Seq-1 > s.floor {
			err = &ledger.CorruptError{Seq: max(s.done.UpTo, s.floor) + 1, Reason: "is missing"}
		}
		if err == nil && s.chain != nil {
			err = s.chain.next(ctx, &r, p)
		}
		if err != nil {
			return recs, s.stop(err)
		}
		recs = append(recs, r)
		s.done.Records++
		s.done.UpTo = r.Seq
	}
	if err := explain(rows.Err()); err != nil {
		return recs, s.stop(err)
	}
	if len(recs) < contracts.LimitAppendBatch && s.known > max(s.done.UpTo, s.floor) {
		return recs, s.stop(&ledger.CorruptError{Seq: max(s.done.UpTo, s.floor) + 1, Reason: "is missing"})
	}
	return recs, len(recs) == contracts.LimitAppendBatch
}

func (s *damagedFile) stop(err error) bool {
	s.done.Break = err.Error()
	return false
}

// saveContents copies the content that a record refers to, unless the content is missing or
// damaged.
func (s *damagedFile) saveContents(ctx context.Context, w *writer, r *contracts.Record) error {
	names, err := r.ContentHashes()
	if err != nil {
		return nil // written by a later version
	}
	for _, name := range names {
		if s.contents[name] {
			continue
		}
		s.contents[name] = true
		var content []byte
		err := s.db.QueryRowContext(ctx, "SELECT content FROM blobs WHERE sha256 = ?", name).Scan(&content)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || blobName(content) != name {
			s.done.Missing++
			continue
		}
		s.done.Blobs++
		if err := w.exec("INSERT INTO blobs VALUES (?, ?) ON CONFLICT DO NOTHING", name, present(content)); err != nil {
			return err
		}
	}
	return nil
}
