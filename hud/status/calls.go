package status

import (
	"cmp"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// limitCalls is the maximum number of tool calls, and of questions, remembered for an agent. It is
// large enough that no open question is dropped.
const limitCalls = contracts.LimitOpenAsks

// calls stores tool calls or questions by name. all contains every call; open contains only those
// that have not ended, usually a few.
type calls struct{ all, open map[string]*call }

// call is a tool call or a question with its start and its end. An end that arrives before the
// start counts too.
type call struct {
	first  int64 // the earliest start
	start  mark
	reopen mark // the latest start event that can reopen the call after it has ended
	end    mark
}

// ended reports whether the call has ended and has not been reopened since.
func (c *call) ended() bool { return c.end.isSet() && c.end.at >= c.reopen.at }

// start adds the start of a call; reopens reports whether this start can reopen the call after it has
// ended.
func (cs *calls) start(m mark, reopens bool) {
	c := cs.named(m.Call)
	if !c.start.isSet() || m.at < c.first {
		c.first = m.at
	}
	if c.start = newer(c.start, m); reopens {
		c.reopen = newer(c.reopen, m)
	}
	cs.updateOpen(m.Call, c)
}

func (cs *calls) end(m mark) {
	c := cs.named(m.Call)
	c.end = newer(c.end, m)
	cs.updateOpen(m.Call, c)
}

// named returns the call with the given name, and adds it if it is missing.
func (cs *calls) named(name string) *call {
	if cs.all == nil {
		cs.all, cs.open = make(map[string]*call), make(map[string]*call)
	}
	c := cs.all[name]
	if c == nil {
		c = &call{}
		cs.all[name] = c
	}
	return c
}

// updateOpen moves a changed call into or out of open.
func (cs *calls) updateOpen(name string, c *call) {
	if c.start.isSet() && !c.ended() {
		cs.open[name] = c
	} else {
		delete(cs.open, name)
	}
	if len(cs.all) > limitCalls {
		cs.forget()
	}
}

// forget drops up to a quarter of the calls, starting with those that ended longest ago. If none
// has ended, it drops only the call with the oldest evidence.
func (cs *calls) forget() {
	type named struct {
		name string
		call *call
	}
	list := make([]named, 0, len(cs.all))
	for name, c := range cs.all {
		list = append(list, named{name, c})
	}
	slices.SortFunc(list, func(a, b named) int {
		if order := a.call.compareDropOrder(b.call); order != 0 {
			return order
		}
		return cmp.Compare(a.name, b.name)
	})
	for i, n := range list[:limitCalls/4] {
		if i > 0 && !n.call.ended() {
			return
		}
		delete(cs.all, n.name)
		delete(cs.open, n.name)
	}
}

// compareDropOrder returns a negative number if c must be dropped before o, and a positive number
// if o must be dropped first.
func (c *call) compareDropOrder(o *call) int {
	if ended := c.ended(); ended != o.ended() {
		if ended {
			return -1
		}
		return 1
	}
	if a, b := max(c.start.at, c.end.at), max(o.start.at, o.end.at); a != b { // true for almost all pairs
		return cmp.Compare(a, b)
	}
	last, other := newer(c.start, c.end), newer(o.start, o.end)
	return last.compare(&other)
}

func (cs *calls) clampTimes(now int64) {
	for name, c := range cs.all {
		c.first, c.start.at, c.reopen.at, c.end.at = min(c.first, now), min(c.start.at, now), min(c.reopen.at, now), min(c.end.at, now)
		cs.updateOpen(name, c)
	}
}

// running returns the calls that started after the given time and have not ended, newest last.
func (cs *calls) running(after int64) []*call {
	var open []*call
	for _, c := range cs.open {
		if c.start.at > after {
			open = append(open, c)
		}
	}
	slices.SortFunc(open, func(a, b *call) int { return a.start.compare(&b.start) })
	return open
}
