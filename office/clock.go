package office

import (
	"sync"
	"time"
)

// maxClockLag is how far the wall clock may fall behind the elapsed time before the office
// concludes that the clock was set back.
const maxClockLag = 500 * time.Millisecond

// Clock is the office's time: the wall clock, except that it never goes back. If the wall clock is
// set back, the office's time continues from where it was; if the wall clock jumps ahead (for
// example, after a laptop wakes up), the office follows it.
type Clock struct {
	wall    func() time.Time
	elapsed func() time.Duration

	mu          sync.Mutex
	lastWall    time.Time
	lastElapsed time.Duration
	offset      time.Duration // added to the wall clock
	given       int64
}

// NewClock returns a clock whose time is never before notBefore, in Unix milliseconds. elapsed must
// be monotonic, whatever happens to the wall clock.
func NewClock(wall func() time.Time, elapsed func() time.Duration, notBefore int64) *Clock {
	c := &Clock{wall: wall, elapsed: elapsed, lastWall: wall().Round(0), lastElapsed: elapsed(), given: notBefore}
	c.offset = max(0, time.UnixMilli(notBefore).Sub(c.lastWall))
	return c
}

// Now returns the office's time, in whole milliseconds.
func (c *Clock) Now() time.Time { return time.UnixMilli(c.MS()) }

// MS returns the office's time in Unix milliseconds.
func (c *Clock) MS() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	wall, elapsed := c.wall().Round(0), c.elapsed()
	if lag := (elapsed - c.lastElapsed) - wall.Sub(c.lastWall); lag > maxClockLag {
		c.offset += lag
	}
	c.lastWall, c.lastElapsed = wall, elapsed
	c.given = max(c.given, wall.Add(c.offset).UnixMilli())
	return c.given
}
