package hub

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// shard writes to its share of the sessions, one after the other, and never
// waits for any of them.
type shard struct {
	hub     *Hub
	wakeup  chan struct{}
	pen     *pen
	members []*session // the loop's own

	gone atomic.Int64 // members that ended since the last flush

	mu    sync.Mutex
	added []*session
}

// forgetAfter is how many ended sessions a quiet shard holds before it lets go.
const forgetAfter = 64

func newShard(h *Hub) *shard {
	return &shard{hub: h, wakeup: make(chan struct{}, 1), pen: newPen()}
}

func (sh *shard) poke() {
	select {
	case sh.wakeup <- struct{}{}:
	default:
	}
}

func (sh *shard) add(s *session) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.added = append(sh.added, s)
}

// left notes that a member has ended.
func (sh *shard) left() {
	if sh.gone.Add(1) >= forgetAfter {
		sh.poke()
	}
}

// run flushes at once when it was quiet, and at most once in a flush interval
// under load: then one write carries everything that came meanwhile.
func (sh *shard) run(ctx context.Context) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	var last time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-sh.wakeup:
		}
		if wait := sh.hub.limits.FlushInterval - time.Since(last); wait > 0 && !last.IsZero() {
			pause.Reset(wait)
			select {
			case <-ctx.Done():
				return
			case <-pause.C:
			}
		}
		select {
		case <-sh.wakeup:
		default:
		}
		last = time.Now()
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
		if s.pump(sh.pen, v) {
			keep = append(keep, s)
		}
	}
	clear(sh.members[len(keep):])
	sh.members = keep
	sh.hub.metrics.settle(&sh.pen.tally)
	sh.pen.memo = batchMemo{}
}
