package hub

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// shard writes to its share of the sessions, one after another, and never blocks on any of them.
type shard struct {
	hub     *Hub
	scratch *writeScratch
	members []*session // used only by run

	wakeup chan struct{} // requests a flush now
	pause  *time.Timer   // requests a flush when it fires
	poked  atomic.Bool   // a flush is scheduled
	last   atomic.Int64  // start of the last flush, in nanoseconds since the hub was created

	size atomic.Int64 // number of members that have not ended
	gone atomic.Int64 // number of members that have ended since the last flush

	mu    sync.Mutex
	added []*session
}

const (
	// pruneThreshold is how many ended sessions an idle shard keeps before it removes them.
	pruneThreshold = 64
	// fewMembers is the number of sessions that a shard serves before the next shard is used:
	// waking a second goroutine costs more than writing to that many.
	fewMembers = 64
)

func newShard(h *Hub) *shard {
	sh := &shard{hub: h, wakeup: make(chan struct{}, 1), pause: time.NewTimer(time.Hour), scratch: newWriteScratch()}
	sh.pause.Stop()
	sh.last.Store(-int64(h.limits.FlushInterval))
	return sh
}

// shardFor returns the shard for the next session: the first shard with few members, otherwise the
// shard with the fewest.
func (h *Hub) shardFor() *shard {
	least := h.shards[0]
	for _, sh := range h.shards {
		n := sh.size.Load()
		if n < fewMembers {
			return sh
		}
		if n < least.size.Load() {
			least = sh
		}
	}
	return least
}

// poke schedules a flush: immediately if the shard is idle, and at most once per flush interval
// under load, so that one write carries everything that has arrived.
func (sh *shard) poke() {
	if sh.poked.Swap(true) {
		return
	}
	if wait := sh.hub.limits.FlushInterval - (time.Since(sh.hub.began) - time.Duration(sh.last.Load())); wait > 0 {
		sh.pause.Reset(wait)
		return
	}
	select {
	case sh.wakeup <- struct{}{}:
	default:
	}
}

func (sh *shard) add(s *session) {
	sh.size.Add(1)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.added = append(sh.added, s)
}

// sessionEnded records that one of the shard's sessions has ended.
func (sh *shard) sessionEnded() {
	sh.size.Add(-1)
	if sh.gone.Add(1) >= pruneThreshold {
		sh.poke()
	}
}

func (sh *shard) run(ctx context.Context) {
	defer sh.pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-sh.wakeup:
		case <-sh.pause.C:
		}
		sh.last.Store(int64(time.Since(sh.hub.began)))
		sh.poked.Store(false) // records that arrive from here on need another flush
		sh.flush()
	}
}

func (sh *shard) flush() {
	sh.gone.Store(0)
	sh.mu.Lock()
	sh.members = append(sh.members, sh.added...)
	clear(sh.added)
	sh.added = sh.added[:0]
	sh.mu.Unlock()
	v := sh.hub.tip()
	keep := sh.members[:0]
	for _, s := range sh.members {
		if s.pump(sh.scratch, v) {
			keep = append(keep, s)
		}
	}
	clear(sh.members[len(keep):])
	sh.members = keep
	sh.hub.metrics.flush(&sh.scratch.tally)
	sh.scratch.memo = batchMemo{}
}
