package office

import (
	"sync"
	"time"
)

// backwards is how far the wall clock may lag behind elapsed time before it
// counts as set back.
const backwards = 500 * time.Millisecond

// Clock gives the office's time: the wall clock, except that it never goes back.
// When the wall clock is set back, time goes on from where it was; when it jumps
// ahead (a laptop that slept), the office follows.
type Clock struct {
	mu     sync.Mutex
	now    func() time.Time
	last   time.Time
	offset time.Duration
	given  int64
}

// NewClock starts a clock at or after a time in Unix milliseconds.
func NewClock(now func() time.Time, notBefore int64) *Clock {
	c := &Clock{now: now, last: now(), given: notBefore}
	if behind := time.UnixMilli(notBefore).Sub(c.last.Round(0)); behind > 0 {
		c.offset = behind
	}
	return c
}

// Now is the office's time.
func (c *Clock) Now() time.Time { return time.UnixMilli(c.MS()) }

// MS is the office's time in Unix milliseconds.
func (c *Clock) MS() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.now()
	elapsed := t.Sub(c.last)                     // monotonic where there is such a reading
	moved := t.Round(0).Sub(c.last.Round(0))     // of the wall clock
	if lag := elapsed - moved; lag > backwards { // set back
		c.offset += lag
	}
	c.last = t
	c.given = max(c.given, t.Round(0).Add(c.offset).UnixMilli())
	return c.given
}
