package hub

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// afresh is what the hub shows after the text of records was erased.
type afresh struct {
	world *world.World       // as of the last record of the batch
	recs  []contracts.Record // tombstones
}

// redactions reads the tombstones of the records that a batch reports as redacted; nil
// if it reports none.
func (h *Hub) redactions(recs []contracts.Record) (*afresh, error) {
	var a *afresh
	for i := range recs {
		seq, err := redacted(&recs[i])
		if err != nil {
			return nil, err
		}
		if seq == 0 {
			continue
		}
		if a == nil {
			a = &afresh{}
		}
		stone, err := h.ledger.Read(h.life, seq-1, 1)
		if err != nil {
			return nil, fmt.Errorf("read redacted record %d: %w", seq, err)
		}
		if len(stone) > 0 && stone[0].Seq == seq { // retention may have removed it since
			a.recs = append(a.recs, stone[0])
		}
	}
	if a == nil {
		return nil, nil
	}
	if h.load == nil {
		return nil, errors.New("a record was redacted, and the hub has no Load to fold the world again")
	}
	var err error
	if a.world, err = h.load(h.life, recs[len(recs)-1].Seq); err != nil {
		return nil, fmt.Errorf("fold the world without redacted text: %w", err)
	}
	return a, nil
}

// redacted returns the seq that a record_redacted event names, 0 for other records.
func redacted(r *contracts.Record) (uint64, error) {
	if r.Kind != contracts.KindEvent || !bytes.Contains(r.Body, []byte(contracts.EventRecordRedacted)) {
		return 0, nil
	}
	body, err := r.Decode()
	if err != nil {
		return 0, err
	}
	if e := body.(*contracts.Event); e.Name == contracts.EventRecordRedacted && e.Redaction != nil {
		return e.Redaction.Seq, nil
	}
	return 0, nil
}

// showLocked replaces everything that holds erased text, except the caches.
func (h *Hub) showLocked(a *afresh) {
	h.world, h.snap, h.newest = a.world, nil, nil
	for i := range a.recs {
		h.log.replace(&a.recs[i])
	}
	h.edits.Add(1)
}

// replace frames a record again. The bytes of the chunk that holds it may be on
// their way to a viewer, so the chunk is replaced.
func (l *frameLog) replace(r *contracts.Record) {
	for k, c := range l.chunks {
		at, ok := slices.BinarySearchFunc(c.entries, r.Seq, func(e entry, seq uint64) int { return int(e.seq) - int(seq) })
		if !ok {
			continue
		}
		msg := r.AppendMessage(nil)
		n := headerSize(len(msg)) + len(msg)
		grown := n - int(c.entries[at].n)
		made := &chunk{first: c.first, abs: c.abs, entries: slices.Clone(c.entries), buf: make([]byte, 0, max(cap(c.buf), len(c.buf)+grown))}
		made.buf = append(made.buf, c.buf[:c.entries[at].off]...)
		made.buf = append(appendHeader(made.buf, ws.OpText, len(msg)), msg...)
		made.buf = append(made.buf, c.buf[c.entries[at].off+c.entries[at].n:]...)
		made.entries[at].n = uint32(n)
		for i := at + 1; i < len(made.entries); i++ {
			made.entries[i].off = uint32(int(made.entries[i].off) + grown)
		}
		l.chunks[k] = made
		l.bytes += grown
		return
	}
}

// clear forgets all pages; one that is being read is not kept.
func (c *pageCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pages, c.order, c.bytes = nil, nil, 0
}

func (c *batchCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held, c.order, c.bytes = nil, nil, 0
}
