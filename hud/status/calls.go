package status

import (
	"cmp"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// limitCalls bounds the tools and the questions of one agent that are remembered:
// no question that is open in the office is forgotten.
const limitCalls = contracts.LimitOpenAsks

// calls are tools or questions by their name.
type calls map[string]*call

// call is something that starts and ends. Both are kept: an end that arrives
// before its start closes it as well.
type call struct {
	first int64 // the earliest start
	start mark
	again mark // the newest start that counts after an end
	end   mark
}

// start takes a start in; again says whether it counts after an end.
func (cs *calls) start(m mark, again bool) {
	c := cs.named(m.Call)
	if !c.start.known() || m.at < c.first {
		c.first = m.at
	}
	if c.start = newer(c.start, m); again {
		c.again = newer(c.again, m)
	}
	cs.forget()
}

func (cs *calls) end(m mark) {
	c := cs.named(m.Call)
	c.end = newer(c.end, m)
	cs.forget()
}

// named finds a call or adds it.
func (cs *calls) named(name string) *call {
	if *cs == nil {
		*cs = make(calls)
	}
	c := (*cs)[name]
	if c == nil {
		c = &call{}
		(*cs)[name] = c
	}
	return c
}

// forget removes calls beyond the limit: the one that ended longest ago, or, when
// none ended, the one that was last heard of longest ago.
func (cs calls) forget() {
	for len(cs) > limitCalls {
		var oldest *call
		var name string
		for n, c := range cs {
			if oldest == nil || cmp.Or(c.age(oldest), cmp.Compare(n, name)) < 0 {
				oldest, name = c, n
			}
		}
		delete(cs, name)
	}
}

// age is below 0 when c is to be forgotten before o.
func (c *call) age(o *call) int {
	if ended := c.end.known(); ended != o.end.known() {
		if ended {
			return -1
		}
		return 1
	}
	if a, b := max(c.start.at, c.end.at), max(o.start.at, o.end.at); a != b { // nearly always
		return cmp.Compare(a, b)
	}
	return newer(c.start, c.end).compare(newer(o.start, o.end))
}

func (cs calls) settle(now int64) {
	for _, c := range cs {
		c.first, c.start.at, c.again.at, c.end.at = min(c.first, now), min(c.start.at, now), min(c.again.at, now), min(c.end.at, now)
	}
}

// running are the calls that started after a time and did not end, the latest last.
func (cs calls) running(after int64) []*call {
	var open []*call
	for _, c := range cs {
		ended := c.end.known() && c.end.at >= c.again.at
		if c.start.known() && !ended && c.start.at > after {
			open = append(open, c)
		}
	}
	slices.SortFunc(open, func(a, b *call) int { return a.start.compare(b.start) })
	return open
}
