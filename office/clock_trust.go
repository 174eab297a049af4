package office

import (
	"context"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

const retentionPaused = "retention by age is paused: the clock is more than a day ahead of the records, or jumped ahead within the last day; correct the clock, or keep the office running for a day"

// clockTrust detects when the clock has jumped ahead. Retention by age is paused in that case,
// because records that it removes cannot be restored.
type clockTrust struct {
	mu           sync.Mutex
	wall, steady time.Time // wall clock and monotonic clock at the last check
	distrusted   time.Time // monotonic time at which the wall clock last jumped ahead; zero if it never did, or was set back since
}

// newClockTrust returns a clockTrust. If jumped is set, the clock is not trusted at first; see
// jumpedAhead.
func newClockTrust(jumped bool, wall, steady time.Time) *clockTrust {
	c := &clockTrust{wall: wall, steady: steady}
	if jumped {
		c.distrusted = steady
	}
	return c
}

// trusts reports whether the wall clock is trusted. After the wall clock has jumped ahead of the
// monotonic clock by more than ClockJump, it is not trusted for ClockPause, unless it is set back
// within that time.
func (c *clockTrust) trusts(wall, steady time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	ahead := wall.Round(0).Sub(c.wall.Round(0)) - steady.Sub(c.steady)
	switch c.wall, c.steady = wall, steady; {
	case ahead > contracts.ClockJump:
		c.distrusted = steady
	case ahead < -contracts.ClockJump:
		c.distrusted = time.Time{}
	}
	return c.distrusted.IsZero() || steady.Sub(c.distrusted) >= contracts.ClockPause
}

// jumpedAhead reports whether the clock is more than ClockJump ahead of the newest record. It also
// returns true if the times of the records themselves jump ahead by more than ClockJump within the
// last ClockPause, because records from an earlier run with a wrong clock do not confirm this run's
// clock. Record times never decrease, so a binary search finds the jump.
func jumpedAhead(ctx context.Context, l ledger.Ledger, wall time.Time) (bool, error) {
	head := l.Head()
	if head == 0 {
		return false, nil
	}
	newest, err := timeAfter(ctx, l, head-1)
	if err != nil || wall.Sub(newest) > contracts.ClockJump {
		return true, err
	}
	first, last := uint64(0), head-1 // the record after last is within ClockPause of the newest
	for first < last {
		middle := first + (last-first)/2
		at, err := timeAfter(ctx, l, middle)
		if err != nil {
			return true, err
		}
		if newest.Sub(at) < contracts.ClockPause {
			last = middle
		} else {
			first = middle + 1
		}
	}
	if first == 0 {
		return false, nil // all records are within ClockPause of the newest
	}
	before, err := timeAfter(ctx, l, first-1)
	if err != nil {
		return true, err
	}
	after, err := timeAfter(ctx, l, first)
	return after.Sub(before) > contracts.ClockJump, err
}

// timeAfter returns the time of the first record after seq. seq must be below the head.
func timeAfter(ctx context.Context, l ledger.Ledger, seq uint64) (time.Time, error) {
	recs, err := l.Read(ctx, seq, 1)
	if err != nil || len(recs) == 0 {
		return time.Time{}, err
	}
	return time.UnixMilli(recs[0].TS), nil
}
