package office

import (
	"context"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

const retentionPaused = "retention by age is paused: the clock is more than a day ahead of the records, or jumped ahead within the last day; correct it, or keep the office running for a day"

// sureClock detects a clock that jumped ahead: records that retention removes because of a wrong
// clock cannot be restored.
type sureClock struct {
	mu           sync.Mutex
	wall, steady time.Time // of the last check: wall clock and monotonic clock
	doubt        time.Time // start of the distrust, monotonic; zero if the clock is trusted
}

// newSureClock returns a clock that starts out distrusted if jumped is set; see jumpedAhead.
func newSureClock(jumped bool, wall, steady time.Time) *sureClock {
	c := &sureClock{wall: wall, steady: steady}
	if jumped {
		c.doubt = steady
	}
	return c
}

// trusts returns false for ClockDoubt after the wall clock jumped ahead of the monotonic clock by
// more than ClockJump. A clock that is set back in that time is trusted again.
func (c *sureClock) trusts(wall, steady time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	ahead := wall.Round(0).Sub(c.wall.Round(0)) - steady.Sub(c.steady)
	switch c.wall, c.steady = wall, steady; {
	case ahead > contracts.ClockJump:
		c.doubt = steady
	case ahead < -contracts.ClockJump:
		c.doubt = time.Time{}
	}
	return c.doubt.IsZero() || steady.Sub(c.doubt) >= contracts.ClockDoubt
}

// jumpedAhead reports whether the clock is ahead of the newest record by more than ClockJump, or
// the records jump by that much within the last ClockDoubt before the newest: an earlier run with
// a wrong clock does not confirm the clock of this one. Record times never decrease, so a binary
// search finds the position.
func jumpedAhead(ctx context.Context, l ledger.Ledger, wall time.Time) (bool, error) {
	head := l.Head()
	if head == 0 {
		return false, nil
	}
	newest, err := timeAfter(ctx, l, head-1)
	if err != nil || wall.Sub(newest) > contracts.ClockJump {
		return true, err
	}
	first, last := uint64(0), head-1 // the record after last is from the last day
	for first < last {
		middle := first + (last-first)/2
		at, err := timeAfter(ctx, l, middle)
		if err != nil {
			return true, err
		}
		if newest.Sub(at) < contracts.ClockDoubt {
			last = middle
		} else {
			first = middle + 1
		}
	}
	if first == 0 {
		return false, nil // all records are from the last day
	}
	before, err := timeAfter(ctx, l, first-1)
	if err != nil {
		return true, err
	}
	after, err := timeAfter(ctx, l, first)
	return after.Sub(before) > contracts.ClockJump, err
}

// timeAfter returns the time of the first record after a seq below the head.
func timeAfter(ctx context.Context, l ledger.Ledger, seq uint64) (time.Time, error) {
	recs, err := l.Read(ctx, seq, 1)
	if err != nil || len(recs) == 0 {
		return time.Time{}, err
	}
	return time.UnixMilli(recs[0].TS), nil
}
