package jetstream

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

const tombstonePrefix = "tombstone"

// tombstone is what remains of a redacted record. It is stored before the record that confirms it,
// and counts once that record exists.
type tombstone struct {
	entry
	contents []string
	confirm  uint64 // seq of the record that begins the append that confirms it
	token    string // of that append
	erased   bool   // the record was removed from its stream
}

// stoneJSON is how a tombstone is stored.
type stoneJSON struct {
	TS       int64          `json:"ts"`
	Kind     contracts.Kind `json:"kind"`
	ID       string         `json:"id,omitzero"`
	Key      string         `json:"key,omitzero"`
	Body     []byte         `json:"body"`
	Before   []byte         `json:"before"`
	Segment  string         `json:"segment,omitzero"`
	Digest   []byte         `json:"digest"`
	Contents []string       `json:"contents,omitzero"`
	Confirm  uint64         `json:"confirm"`
	Token    string         `json:"token"`
	Erased   bool           `json:"erased,omitzero"`
}

func (t *tombstone) encode() ([]byte, error) {
	return json.Marshal(stoneJSON{
		TS: t.TS, Kind: t.Kind, ID: t.ID, Key: t.Key, Body: t.Body, Before: t.before[:], Segment: t.segment, Digest: t.digest[:],
		Contents: t.contents, Confirm: t.confirm, Token: t.token, Erased: t.erased,
	})
}

func decodeTombstone(name string, data []byte) (t tombstone, err error) {
	seq, err := strconv.ParseUint(name, 10, 64)
	var s stoneJSON
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil || len(s.Before) != len(t.before) || len(s.Digest) != len(t.digest) {
		return t, fmt.Errorf("%w: tombstone %s is not readable", ledger.ErrCorrupt, name)
	}
	t.Record = contracts.Record{Seq: seq, TS: s.TS, Kind: s.Kind, ID: s.ID, Key: s.Key, Body: s.Body, Redacted: true}
	copy(t.before[:], s.Before)
	copy(t.digest[:], s.Digest)
	t.segment, t.contents, t.confirm, t.token, t.erased = s.Segment, s.Contents, s.Confirm, s.Token, s.Erased
	return t, nil
}

func stoneName(seq uint64) string { return tombstonePrefix + "." + strconv.FormatUint(seq, 10) }

// Redact erases the text of records. See ledger.Ledger for the contract. The tombstones
// are stored first, then the records that confirm them are appended, then the text is
// removed; the next node that leads finishes the last step if this one cannot.
func (l *Ledger) Redact(ctx context.Context, after uint64, erasures []ledger.Erasure) error {
	if err := l.usable(ctx); err != nil {
		return err
	}
	recs := make([]contracts.Record, len(erasures))
	stones := make([]tombstone, len(erasures))
	token := rand.Text()
	for i, e := range erasures {
		recs[i] = e.Record
		old, err := l.entryAt(ctx, e.Seq)
		if err != nil {
			return err
		}
		stones[i] = tombstone{entry: old, contents: e.Contents, confirm: after + 1, token: token}
		stones[i].Record = old.Entomb(e.Body)
	}
	if head := l.Head(); after != head {
		return &ledger.StaleError{Expected: after, Head: head}
	}
	for i := range stones {
		if err := l.putTombstone(ctx, &stones[i]); err != nil {
			return err
		}
	}
	r := newRequest(after, recs)
	r.token = token
	if err := l.submit(ctx, r); err != nil {
		return err
	}
	l.useTombstones(stones)
	return l.finishRedactions(ctx)
}

// Wipe has nothing to do: Redact makes the servers overwrite what it removes.
func (l *Ledger) Wipe(ctx context.Context) error { return l.usable(ctx) }

// entryAt returns a record with its place in the chain.
func (l *Ledger) entryAt(ctx context.Context, seq uint64) (e entry, err error) {
	l.mu.Lock()
	stone, redacted := l.stones[seq]
	redacted = redacted && !l.document.removed(&stone.Record)
	l.mu.Unlock()
	if redacted {
		return stone.entry, nil
	}
	if seq == 0 || seq > l.Head() {
		return e, fmt.Errorf("%w: %d", ledger.ErrNoRecord, seq)
	}
	m, err := l.fromLeader(ctx, l.recordStream(), selector{Seq: seq})
	if err != nil {
		return e, err
	}
	if m == nil {
		return e, fmt.Errorf("%w: %d", ledger.ErrNoRecord, seq)
	}
	if e, err = decode(m.seq, m.data); err != nil {
		return e, l.notice(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.document.removed(&e.Record) {
		return e, fmt.Errorf("%w: %d", ledger.ErrNoRecord, seq)
	}
	return e, nil
}

func (l *Ledger) putTombstone(ctx context.Context, t *tombstone) error {
	data, err := t.encode()
	if err != nil {
		return err
	}
	_, err = l.put(ctx, stoneName(t.Seq), nil, data, anyRevision)
	return err
}

func (l *Ledger) dropTombstone(ctx context.Context, seq uint64) error {
	l.mu.Lock()
	delete(l.stones, seq)
	l.mu.Unlock()
	return l.drop(ctx, stoneName(seq))
}

// useTombstones shows confirmed tombstones instead of their records.
func (l *Ledger) useTombstones(stones []tombstone) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var recs []contracts.Record
	for _, t := range stones {
		l.stones[t.Seq] = t
		recs = append(recs, t.Record)
	}
	if st := l.state.Load(); st != nil && len(recs) > 0 {
		next := *st
		next.tail = next.tail.Replace(recs)
		l.publishState(&next)
	}
}

// loadTombstones reads the tombstones that are confirmed.
func (l *Ledger) loadTombstones(ctx context.Context) error {
	var stones []tombstone
	err := l.list(ctx, tombstonePrefix, func(name string, m message) error {
		t, err := decodeTombstone(name, m.data)
		if err != nil {
			return err
		}
		confirmed, err := l.confirmed(ctx, &t)
		if confirmed {
			stones = append(stones, t)
		}
		return err
	})
	if err != nil {
		return l.notice(err)
	}
	l.useTombstones(stones)
	return nil
}

// confirmed reports whether the append that confirms a tombstone happened. Retention may have
// removed that append since, so an erased record counts as proof.
func (l *Ledger) confirmed(ctx context.Context, t *tombstone) (bool, error) {
	if t.erased {
		return true, nil
	}
	m, err := l.fromLeader(ctx, l.recordStream(), selector{Seq: t.confirm})
	return m != nil && m.header.Get(appendHeader) == t.token, err
}

// bury shows the tombstone that r confirms, if there is one.
func (l *Ledger) bury(ctx context.Context, r *contracts.Record) error {
	if r.Kind != contracts.KindEvent || !bytes.Contains(r.Body, []byte(contracts.EventRecordRedacted)) {
		return nil
	}
	return l.loadTombstones(ctx)
}

// buried reports whether a key belongs to a redacted record, whose subject is free.
func (l *Ledger) buried(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.stones {
		if t.Key == key && !l.document.removed(&t.Record) {
			return true
		}
	}
	return false
}

// finishRedactions erases the text of records whose tombstones are confirmed.
func (l *Ledger) finishRedactions(ctx context.Context) error {
	l.mu.Lock()
	var due []tombstone
	for _, t := range l.stones {
		if !t.erased {
			due = append(due, t)
		}
	}
	l.mu.Unlock()
	for _, t := range due {
		if err := l.erase(ctx, t); err != nil {
			return fmt.Errorf("redacted text may still be stored: %w", err)
		}
	}
	return nil
}

// erase removes the text of a record, its content, and the checkpoint, which may contain the text.
func (l *Ledger) erase(ctx context.Context, t tombstone) error {
	for _, name := range t.contents {
		if err := l.drop(ctx, contentPrefix+"."+name); err != nil {
			return err
		}
	}
	if err := l.drop(ctx, checkpointName); err != nil {
		return err
	}
	if err := l.remove(ctx, l.recordStream(), t.Seq, true); err != nil {
		return err
	}
	t.erased = true
	if err := l.putTombstone(ctx, &t); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.saved = 0
	l.stones[t.Seq] = t
	return nil
}
