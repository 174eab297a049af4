package status

import (
	"cmp"
	"maps"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// limitCalls bounds the tools and the questions of one agent that are remembered:
// no question that is open in the office is forgotten.
const limitCalls = contracts.LimitOpenAsks

// calls are tools or questions by their name.
type calls map[string]call

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
	c := (*cs)[m.Call]
	if !c.start.known() || m.at < c.first {
		c.first = m.at
	}
	if c.start = newer(c.start, m); again {
		c.again = newer(c.again, m)
	}
	cs.put(m.Call, c)
}

func (cs *calls) end(m mark) {
	c := (*cs)[m.Call]
	c.end = newer(c.end, m)
	cs.put(m.Call, c)
}

func (cs *calls) put(name string, c call) {
	if *cs == nil {
		*cs = make(calls)
	}
	(*cs)[name] = c
	for len(*cs) > limitCalls {
		delete(*cs, cs.oldest())
	}
}

// oldest is the call to forget: the one that ended longest ago, or, when none
// ended, the one that was last heard of longest ago.
func (cs calls) oldest() string {
	return slices.MinFunc(slices.Collect(maps.Keys(cs)), func(a, b string) int {
		x, y := cs[a], cs[b]
		if x.end.known() != y.end.known() {
			if x.end.known() {
				return -1
			}
			return 1
		}
		return cmp.Or(newer(x.start, x.end).compare(newer(y.start, y.end)), cmp.Compare(a, b))
	})
}

func (cs calls) settle(now int64) {
	for name, c := range cs {
		c.first, c.start.at, c.again.at, c.end.at = min(c.first, now), min(c.start.at, now), min(c.again.at, now), min(c.end.at, now)
		cs[name] = c
	}
}

// running are the calls that started after a time and did not end, the latest last.
func (cs calls) running(after int64) []call {
	var open []call
	for _, c := range cs {
		ended := c.end.known() && c.end.at >= c.again.at
		if c.start.known() && !ended && c.start.at > after {
			open = append(open, c)
		}
	}
	slices.SortFunc(open, func(a, b call) int { return a.start.compare(b.start) })
	return open
}
