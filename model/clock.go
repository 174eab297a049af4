package model

// How long a best estimate counts, so that the clock follows a drift; and how
// large a step is that is not jitter but a corrected clock.
const (
	clockWindow = 30_000
	clockStep   = 2_000
	clockLate   = 2 // late messages in a row that are still a slow network
)

// clock is the server's clock, from the times on its fresh messages. The message
// that travelled fastest tells most, so the least delay seen lately counts. It
// never runs backwards except when the server's clock was corrected.
type clock struct {
	local             func() int64
	current, previous *int64
	since, last       int64
	late              int
}

// hear takes in a message that was made just now on the server.
func (c *clock) hear(ts int64) {
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

// now is the server's time in milliseconds.
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
