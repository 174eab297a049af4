package hub

import (
	"context"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// item is one timeline message, without its WebSocket frame.
type item struct {
	seq     uint64
	bit     channel
	msg     []byte
	history bool // from history; a hud message from history has replay:true
}

// feed reads the timeline for one reader at the reader's own pace: first history in pages from the
// ledger, then the log. It has no queue, so the reader may lag without limit.
type feed struct {
	hub   *Hub
	after uint64
	mask  channel
	until uint64 // records up to this seq count as history
}

// feedItems is the maximum number of messages in one step of a feed.
const feedItems = 256

// next returns the next messages that match the mask. It waits until there is at least one message,
// or until ctx is done.
func (f *feed) next(ctx context.Context) ([]item, error) {
	for {
		changed, from := f.hub.view.Changed(), f.after
		items, recent, err := f.step(ctx)
		if err != nil || len(items) > 0 {
			return items, err
		}
		var retry <-chan time.Time
		if !recent && f.after > from {
			continue
		}
		if !recent { // the ledger does not have the next record yet
			retry = time.After(contracts.ReplayRetry)
		}
		select {
		case <-changed:
		case <-retry:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// step checks once for messages. recent means that the log has everything after the reader's
// position.
func (f *feed) step(ctx context.Context) (items []item, recent bool, err error) {
	f.hub.mu.RLock()
	pos, ok := f.hub.log.after(f.after)
	if ok {
		items = f.fromLog(f.hub.log, pos)
	}
	f.hub.mu.RUnlock()
	if ok {
		return items, true, nil
	}
	p, err := f.hub.pageAfter(ctx, f.after)
	if err != nil {
		return nil, false, err
	}
	for i := range p.entries {
		if e := &p.entries[i]; e.seq > f.after && e.bit&f.mask != 0 {
			items = append(items, item{seq: e.seq, bit: e.bit, msg: frameBody(p.frame(i)), history: true})
		}
	}
	f.after = max(f.after, p.last)
	return items, false, nil
}

func (f *feed) fromLog(l *frameLog, pos uint64) (items []item) {
	last := l.head
	l.visit(pos, l.end, func(c *chunk, i, j int) bool {
		for ; i < j; i++ {
			e := &c.entries[i]
			if e.bit&f.mask == 0 {
				continue
			}
			if len(items) == feedItems {
				last = items[len(items)-1].seq
				return false
			}
			it := item{seq: e.seq, bit: e.bit, msg: frameBody(c.frame(i)), history: e.seq <= f.until}
			if it.history && e.bit == chanHUD {
				it.msg = markReplay(nil, it.msg)
			}
			items = append(items, it)
		}
		return true
	})
	f.after = max(f.after, last)
	return items
}
