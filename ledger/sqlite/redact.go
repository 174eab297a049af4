package sqlite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// wipeDue marks a file that may still contain erased text. Wipe removes the mark when it has
// finished.
const wipeDue = "wipe_due"

// Redact erases the text of records. See ledger.Ledger for the contract. The chain keeps the
// digests of the erased bodies.
func (l *Ledger) Redact(ctx context.Context, after uint64, erasures []ledger.Erasure) error {
	recs := make([]contracts.Record, len(erasures))
	for i := range erasures {
		recs[i] = erasures[i].Record
	}
	r := &request{after: after, recs: recs, seals: sealRecords(nil, recs)}
	r.work = func(w *writer) error {
		tombstones := make([]contracts.Record, len(erasures))
		proofs := make([]proof, len(erasures))
		for i, e := range erasures {
			old, p, err := w.readWithProof(e.Seq)
			if err != nil {
				return err
			}
			if p == nil {
				r.err = fmt.Errorf("%w: %d", ledger.ErrNoRecord, e.Seq)
				return nil
			}
			d := p.digest(old.Body)
			tombstones[i], proofs[i] = old.AsTombstone(e.Body), append(d[:], p[len(p)-linkSize:]...)
		}
		if err := w.accept(r); err != nil || r.err != nil {
			return err
		}
		for i := range tombstones {
			if err := w.redact(tombstones[i], proofs[i], erasures[i].Contents); err != nil {
				return err
			}
		}
		return nil
	}
	return l.submit(ctx, r)
}

// readWithProof reads a record with its proof. The proof is nil if the record does not exist.
func (w *writer) readWithProof(seq uint64) (r contracts.Record, p proof, err error) {
	row, err := w.row("SELECT ts, kind, id, coalesce(key, ''), body, sum, coalesce(proof, (SELECT proof FROM proofs WHERE proofs.seq = records.seq)) FROM records WHERE seq = ?", int64(seq))
	if err != nil || row == nil {
		return r, nil, err
	}
	kind, id, key, ok := texts(row[1], row[2], row[3])
	ts, okTS := row[0].(int64)
	body, okBody := row[4].([]byte)
	sum, okSum := row[5].(int64)
	stored, okProof := row[6].([]byte)
	r = contracts.Record{Seq: seq, TS: ts, Kind: contracts.Kind(kind), ID: id, Key: key, Body: bytes.Clone(body)}
	p = proof(bytes.Clone(stored))
	if _, linked := p.link(); !ok || !okTS || !okBody || !okSum || !okProof || !linked {
		return r, nil, &ledger.CorruptError{Seq: seq, Reason: "has no link in the chain"}
	}
	return r, p, w.sums.check(&r, sum)
}

func texts(kind, id, key driver.Value) (k, i, y string, ok bool) {
	k, okKind := kind.(string)
	i, okID := id.(string)
	y, okKey := key.(string)
	return k, i, y, okKind && okID && okKey
}

// redact replaces a record with its tombstone.
func (w *writer) redact(stone contracts.Record, p proof, contents []string) error {
	w.redacted = append(w.redacted, stone)
	if err := w.exec("UPDATE records SET body = ?, sum = ?, proof = ? WHERE seq = ?", stone.Body, int64(w.sums.sum(&stone)), []byte(p), int64(stone.Seq)); err != nil {
		return err
	}
	if err := w.exec("DELETE FROM proofs WHERE seq = ?", int64(stone.Seq)); err != nil {
		return err
	}
	for _, name := range contents {
		if err := w.exec("DELETE FROM blobs WHERE sha256 = ?", name); err != nil {
			return err
		}
	}
	if err := w.exec("DELETE FROM checkpoint"); err != nil {
		return err
	}
	return w.exec("INSERT OR REPLACE INTO meta VALUES (?, '1')", wipeDue)
}

// wipeRetry is the interval between retries while a reader is using the log.
const wipeRetry = 50 * time.Millisecond

// Wipe rewrites the file without free pages and truncates the log. The log cannot be truncated
// during a long read, such as a backup. Wipe then waits until the read has ended; if ctx is done
// first, it returns an error.
func (l *Ledger) Wipe(ctx context.Context) error {
	if l.config.Path == "" {
		return nil
	}
	if err := l.submit(ctx, &request{outsideTx: l.rewrite}); err != nil {
		return fmt.Errorf("redacted text may still be in %s: %w", l.name(), err)
	}
	for {
		done := false
		err := l.submit(ctx, &request{outsideTx: func() (err error) {
			done, err = l.emptyLog()
			return err
		}})
		if done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("redacted text stays in the write-ahead log of %s until a running backup or other long read ends: %w", l.name(), ctx.Err())
		case <-time.After(wipeRetry):
		}
	}
}

// rewrite rewrites the file without its free pages.
func (l *Ledger) rewrite() error {
	_, err := l.writes.Exec("VACUUM")
	return explain(err)
}

// emptyLog checkpoints and truncates the log; done is false while a reader is using the log.
func (l *Ledger) emptyLog() (done bool, err error) {
	defer l.writes.Exec("PRAGMA " + busyTimeout)
	if _, err := l.writes.Exec("PRAGMA busy_timeout = 0"); err != nil {
		return false, explain(err)
	}
	var busy, frames, checkpointed int
	if err := l.writes.QueryRow("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &checkpointed); err != nil || busy != 0 {
		return false, explain(err)
	}
	_, err = l.writes.Exec("DELETE FROM meta WHERE name = ?", wipeDue)
	return err == nil, explain(err)
}

// finishWipe completes a Wipe that was interrupted when the process ended. It runs before the first
// read.
func (l *Ledger) finishWipe(ctx context.Context) error {
	var due int
	if err := l.writes.QueryRowContext(ctx, "SELECT count(*) FROM meta WHERE name = ?", wipeDue).Scan(&due); err != nil || due == 0 {
		return explain(err)
	}
	if err := l.rewrite(); err != nil {
		return err
	}
	_, err := l.emptyLog()
	return err
}

// tombstones checks redacted records against the record_redacted events that confirm them, because
// the chain has only the digest of the erased body.
type tombstones struct{ bodies map[uint64]string }

// observe remembers r if it is a tombstone, and forgets the tombstone that r confirms. It must be
// called for every record, in chain order.
func (t *tombstones) observe(r *contracts.Record, p proof) {
	if len(p) == redactedSize {
		if t.bodies == nil {
			t.bodies = map[uint64]string{}
		}
		sum := sha256.Sum256(r.Body)
		t.bodies[r.Seq] = hex.EncodeToString(sum[:])
	}
	if r.Redacted || len(t.bodies) == 0 || r.Kind != contracts.KindEvent || !bytes.Contains(r.Body, []byte(contracts.EventRecordRedacted)) {
		return
	}
	body, err := r.Decode()
	if err != nil {
		return // written by a later version
	}
	e := body.(*contracts.Event)
	if e.Name == contracts.EventRecordRedacted && e.Redaction != nil && t.bodies[e.Redaction.Seq] == e.Redaction.SHA256 {
		delete(t.bodies, e.Redaction.Seq)
	}
}

// check returns an error for the first tombstone that no event confirmed, or nil if there is none.
func (t *tombstones) check() error {
	if len(t.bodies) == 0 {
		return nil
	}
	return &ledger.CorruptError{Seq: slices.Min(slices.Collect(maps.Keys(t.bodies))), Reason: "is a tombstone that was changed or that no later record confirms"}
}
