package hub

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
)

// page is a piece of history, read from the ledger and encoded as frames. Pages start at multiples
// of LimitReplayPage, so that viewers with different cursors can share them. Frames of hud records
// have replay:true.
type page struct {
	chunk
	last uint64 // the page is complete up to this seq
}

// pageCache holds the most recently read pages. A page that many viewers request at the same time
// is read only once.
type pageCache struct {
	mu    sync.Mutex
	pages map[uint64]*pageCall
	order []uint64
	bytes int
}

// pageCall is a read of a page, in progress or done.
type pageCall struct {
	done   chan struct{}
	page   *page
	err    error
	loaded bool // guarded by the cache's lock
}

// pageAfter returns the page that contains the record after seq.
func (h *Hub) pageAfter(ctx context.Context, seq uint64) (*page, error) {
	start := seq - seq%contracts.LimitReplayPage
	call, mine := h.pages.acquire(start, seq)
	if mine {
		call.page, call.err = h.readPage(ctx, start)
		h.pages.publish(start, call)
	}
	select {
	case <-call.done:
		return call.page, call.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// acquire returns the call for a page that reaches beyond seq or is still being read. If mine is
// true, the caller must read the page and call publish.
func (c *pageCache) acquire(start, seq uint64) (call *pageCall, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if call := c.pages[start]; call != nil && (!call.loaded || call.page.last > seq) {
		return call, false
	}
	if c.pages == nil {
		c.pages = make(map[uint64]*pageCall)
	}
	c.forget(start) // the old page ended at an older head
	call = &pageCall{done: make(chan struct{})}
	c.pages[start] = call
	return call, true
}

// publish publishes the page of a call, or forgets the call if the read failed.
func (c *pageCache) publish(start uint64, call *pageCall) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer close(call.done)
	if c.pages[start] != call {
		return // forgotten during the read
	}
	if call.err != nil {
		delete(c.pages, start)
		return
	}
	call.loaded = true
	c.order = append(c.order, start)
	c.bytes += len(call.page.buf)
	for c.bytes > contracts.LimitPageCacheBytes && len(c.order) > 1 {
		c.forget(c.order[0])
	}
}

func (c *pageCache) forget(start uint64) {
	if call := c.pages[start]; call != nil {
		delete(c.pages, start)
		c.order = slices.DeleteFunc(c.order, func(s uint64) bool { return s == start })
		c.bytes -= len(call.page.buf)
	}
}

// readPage reads and frames the records in (start, start+LimitReplayPage]. Several viewers share
// the page, so the read continues even after the first viewer's context is done.
func (h *Hub) readPage(ctx context.Context, start uint64) (*page, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), h.limits.WriteTimeout)
	defer cancel()
	end := start + contracts.LimitReplayPage
	head := h.ledger.Head()
	recs, err := h.ledger.Read(ctx, start, contracts.LimitReplayPage)
	if err != nil {
		return nil, fmt.Errorf("read history after record %d: %w", start, err)
	}
	p := &page{last: min(end, head)}
	var msg []byte
	for i := range recs {
		r := &recs[i]
		bit := channelOf(r.Kind)
		if r.Seq > end {
			break
		}
		p.last = max(p.last, r.Seq)
		if bit == 0 {
			continue
		}
		msg = r.AppendMessage(msg[:0])
		if bit == chanHUD {
			msg = markReplay(nil, msg)
		}
		off := len(p.buf)
		p.buf = append(appendHeader(p.buf, ws.OpText, len(msg)), msg...)
		p.entries = append(p.entries, entry{seq: r.Seq, off: uint32(off), n: uint32(len(p.buf) - off), bit: bit})
	}
	return p, nil
}

// framesAfter returns the page's frames after a seq, for the channels in mask.
func (p *page) framesAfter(seq uint64, mask channel) (frames []byte, msgs int) {
	for i := range p.entries {
		if e := &p.entries[i]; e.seq > seq && e.bit&mask != 0 {
			frames = append(frames, p.frame(i)...)
			msgs++
		}
	}
	return frames, msgs
}
