package hub

import (
	"slices"

	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
)

// editLocked replaces redacted records in the log and drops the snapshots; Shown clears the caches.
func (h *Hub) editLocked(tombstones []contracts.Record) {
	h.snap, h.newest = nil, nil
	for i := range tombstones {
		h.log.replace(&tombstones[i])
	}
	h.edits.Add(1)
}

// replace re-encodes a record's frame. It replaces the record's chunk with a copy, because the old
// bytes may still be on their way to viewers.
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

// clear drops all pages. A page that is being read is not kept either.
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
