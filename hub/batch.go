package hub

import (
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
)

// batchKey identifies a batch. Viewers at the same position with the same channels have the same
// key and receive the same bytes.
type batchKey struct {
	from, to uint64
	max      int
	mask     channel
	replay   bool
	edits    uint64 // number of redactions in the log when the batch was built
}

// batch holds the encoded frames in [from, to) that match a mask; from and the mask are in its
// batchKey.
type batch struct {
	parts [][]byte
	bytes int
	msgs  int
	to    uint64

	lost   bool // the first frame of the range was dropped from the log
	copied int  // bytes that were copied from the log
}

// batchCache shares batches between viewers.
type batchCache struct {
	mu    sync.Mutex
	held  map[batchKey]*batch
	order []batchKey
	bytes int // total size of the filtered copies
}

// batchMemo is the most recently used batch. Most viewers are at the same position with the same
// channels, so a shard queries the cache only once for all of them.
type batchMemo struct {
	key   batchKey
	batch *batch
}

func (h *Hub) batchFor(k batchKey, memo *batchMemo) *batch {
	if memo == nil {
		return h.batchOf(k)
	}
	if memo.batch == nil || memo.key != k {
		memo.key, memo.batch = k, h.batchOf(k)
	}
	return memo.batch
}

// batchOf returns the frames in [k.from, k.to) that match k.mask, up to about k.max bytes. The
// batch shares the log's bytes if no frame needs to be left out or changed; otherwise it is a copy.
func (h *Hub) batchOf(k batchKey) *batch {
	c := &h.batches
	c.mu.Lock()
	defer c.mu.Unlock()
	if b, ok := c.held[k]; ok {
		return b
	}
	h.mu.RLock()
	b := buildBatch(h.log, k)
	h.mu.RUnlock()
	c.keep(k, b)
	return b
}

func (c *batchCache) keep(k batchKey, b *batch) {
	if c.held == nil {
		c.held = make(map[batchKey]*batch, contracts.LimitBatchCache)
	}
	for len(c.order) > 0 && (len(c.order) >= contracts.LimitBatchCache || c.bytes > contracts.LimitBatchCacheBytes) {
		c.bytes -= c.held[c.order[0]].copied
		delete(c.held, c.order[0])
		c.order = append(c.order[:0], c.order[1:]...)
	}
	c.held[k] = b
	c.order = append(c.order, k)
	c.bytes += b.copied
}

func buildBatch(l *frameLog, k batchKey) *batch {
	b := &batch{to: k.to, lost: k.from < l.base()}
	if b.lost {
		return b
	}
	var flat []byte
	if k.replay && !hasHUD(l, k.from, k.to) {
		k.replay = false
	}
	l.visit(k.from, k.to, func(c *chunk, i, j int) bool {
		if k.mask == chanAll && !k.replay {
			return b.appendShared(c, i, j, k.max)
		}
		for ; i < j; i++ {
			if b.bytes >= k.max {
				b.to = c.first + uint64(i)
				return false
			}
			if e := &c.entries[i]; e.bit&k.mask != 0 {
				n := len(flat)
				flat = appendEntry(flat, c, i, k.replay)
				b.bytes += len(flat) - n
				b.msgs++
			}
		}
		return true
	})
	if len(flat) > 0 {
		b.parts = append(b.parts, flat)
		b.copied = len(flat)
	}
	return b
}

func hasHUD(l *frameLog, from, to uint64) (found bool) {
	l.visit(from, to, func(c *chunk, i, j int) bool {
		for ; i < j && !found; i++ {
			found = c.entries[i].bit == chanHUD
		}
		return !found
	})
	return found
}

// appendShared appends as many of the entries [i, j) as fit, without copying them, and reports
// whether all of them fit.
func (b *batch) appendShared(c *chunk, i, j, limit int) bool {
	n := i
	for n < j && b.bytes < limit {
		b.bytes += int(c.entries[n].n)
		n++
	}
	if n > i {
		b.parts = append(b.parts, c.span(i, n))
		b.msgs += n - i
	}
	if n < j {
		b.to = c.first + uint64(n)
		return false
	}
	return true
}

// appendEntry appends a frame. If replay is set, replay:true is added to hud frames.
func appendEntry(dst []byte, c *chunk, i int, replay bool) []byte {
	frame := c.frame(i)
	if !replay || c.entries[i].bit != chanHUD {
		return append(dst, frame...)
	}
	return append(dst, textFrame(markReplay(nil, frameBody(frame)))...)
}
