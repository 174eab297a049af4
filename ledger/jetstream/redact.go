package jetstream

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// Redact erases the text of records. See ledger.Ledger for the contract. The tombstones are stored
// first, then the records that confirm them are appended, then the text is removed; if this node
// cannot finish the last step, the next leader does.
func (l *Ledger) Redact(ctx context.Context, after uint64, erasures []ledger.Erasure) error {
	if err := l.usable(ctx); err != nil {
		return err
	}
	recs := make([]contracts.Record, len(erasures))
	tombstones := make([]tombstone, len(erasures))
	token := rand.Text()
	for i, e := range erasures {
		recs[i] = e.Record
		old, err := l.entryAt(ctx, e.Seq)
		if err != nil {
			return err
		}
		tombstones[i] = tombstone{entry: old, contents: e.Contents, confirm: after + 1, token: token}
		tombstones[i].Record = old.AsTombstone(e.Body)
	}
	if head := l.Head(); after != head {
		return &ledger.StaleError{Expected: after, Head: head}
	}
	if !l.leads() {
		return errNotWriter
	}
	for i := range tombstones {
		if err := l.putTombstone(ctx, &tombstones[i]); err != nil {
			return err
		}
	}
	r := newRequest(after, recs)
	r.token = token
	if err := l.submit(ctx, r); err != nil {
		return err
	}
	l.useTombstones(tombstones)
	return l.finishRedactions(ctx)
}

// Wipe has nothing to erase, because Redact makes the servers overwrite the removed text.
func (l *Ledger) Wipe(ctx context.Context) error { return l.usable(ctx) }

// entryAt returns a record with its place in the chain.
func (l *Ledger) entryAt(ctx context.Context, seq uint64) (e entry, err error) {
	l.mu.Lock()
	stone, redacted := l.tombstones[seq]
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
		return e, l.noteDamage(err)
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
	_, err = l.put(ctx, t.name(), nil, data, anyRevision)
	return err
}

// dropTombstones removes the tombstones of a record.
func (l *Ledger) dropTombstones(ctx context.Context, seq uint64) error {
	l.mu.Lock()
	delete(l.tombstones, seq)
	l.mu.Unlock()
	return l.drop(ctx, tombstoneName(seq, "*"))
}

// useTombstones makes reads return confirmed tombstones instead of the records that they replace. A
// tombstone is ignored if there is a newer one for the same record.
func (l *Ledger) useTombstones(tombstones []tombstone) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var recs []contracts.Record
	for _, t := range tombstones {
		if known, ok := l.tombstones[t.Seq]; ok && (known.confirm > t.confirm || known.confirm == t.confirm && known.erased) {
			continue
		}
		l.tombstones[t.Seq] = t
		recs = append(recs, t.Record)
	}
	if st := l.state.Load(); st != nil && len(recs) > 0 {
		next := *st
		next.tail = next.tail.Replace(recs)
		l.publishState(&next)
	}
}

// loadTombstones reads the confirmed tombstones.
func (l *Ledger) loadTombstones(ctx context.Context) error {
	var tombstones []tombstone
	err := l.list(ctx, tombstonePrefix+".*.*", func(name string, m message) error {
		t, err := decodeTombstone(name, m.data)
		if err != nil {
			return err
		}
		confirmed, err := l.confirmed(ctx, &t)
		if confirmed {
			tombstones = append(tombstones, t)
		}
		return err
	})
	if err != nil {
		return l.noteDamage(err)
	}
	l.useTombstones(tombstones)
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

// reloadTombstones loads the tombstones again if r confirms one.
func (l *Ledger) reloadTombstones(ctx context.Context, r *contracts.Record) error {
	if r.Kind != contracts.KindEvent || !bytes.Contains(r.Body, []byte(contracts.EventRecordRedacted)) {
		return nil
	}
	return l.loadTombstones(ctx)
}

// redactedKey reports whether a key belongs to a redacted record. Such a record no longer occupies
// its subject, so the server does not refuse the key.
func (l *Ledger) redactedKey(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.tombstones {
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
	for _, t := range l.tombstones {
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

// erase removes the text and content of a record. It also removes the checkpoint and earlier
// tombstones, because they may contain the text.
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
	if err := l.dropEarlier(ctx, &t); err != nil {
		return err
	}
	t.erased = true
	if err := l.putTombstone(ctx, &t); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.saved = 0
	if l.tombstones[t.Seq].confirm == t.confirm { // the tombstone has not been replaced or removed since
		l.tombstones[t.Seq] = t
	}
	return nil
}

// dropEarlier removes the tombstones that a confirmed tombstone replaces.
func (l *Ledger) dropEarlier(ctx context.Context, t *tombstone) error {
	var names []string
	err := l.list(ctx, tombstoneName(t.Seq, "*"), func(name string, m message) error {
		earlier, err := decodeTombstone(name, m.data)
		if err == nil && earlier.confirm < t.confirm {
			names = append(names, name)
		}
		return err
	})
	for _, name := range names {
		if err == nil {
			err = l.drop(ctx, name)
		}
	}
	return err
}
