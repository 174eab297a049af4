package model

// clockWindow and clockStep are in milliseconds. A new estimate is started after clockWindow, so
// that the clock follows drift. A difference of more than clockStep counts as a correction of the
// server's clock, not as jitter.
const (
	clockWindow = 30_000
	clockStep   = 2_000
	clockLate   = 2 // how many late messages in a row are still attributed to a slow network
)

// clock estimates the server's clock from the timestamps of fresh messages. The message with the
// smallest delay is the most accurate, so the smallest recent delay is used. The clock never runs
// backwards unless the server's clock was corrected.
type clock struct {
	local             func() int64
	current, previous *int64
	since, last       int64
	late              int
}

// observe updates the estimate with the timestamp of a message that the server has just created.
func (c *clock) observe(ts int64) {
	here := c.local()
	offset := ts - here
	known := c.offset()
	if known != nil && here-c.since > clockWindow {
		c.previous, c.current, c.since = c.current, nil, here
	}
	if known == nil {
		c.restart(offset, here)
		return
	}
	if step := offset - *known; step > clockStep || -step > clockStep {
		late := c.late
		c.late++
		if step > 0 || late > clockLate {
			c.restart(offset, here)
		}
		return
	}
	c.late = 0
	if c.current == nil || offset > *c.current {
		c.current = &offset
	}
}

// now returns the server's time in milliseconds.
func (c *clock) now() int64 {
	at := c.local()
	if o := c.offset(); o != nil {
		at += *o
	}
	c.last = max(c.last, at)
	return c.last
}

func (c *clock) offset() *int64 {
	switch {
	case c.current == nil:
		return c.previous
	case c.previous == nil || *c.previous < *c.current:
		return c.current
	}
	return c.previous
}

func (c *clock) restart(offset, here int64) {
	c.current, c.previous, c.since, c.last, c.late = &offset, nil, here, 0, 0
}
