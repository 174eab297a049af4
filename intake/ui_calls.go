package intake

import (
	"slices"
	"sync"

	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/ui"
)

// feed is where calls and results meet: an agent's session.
type feed struct{ agent, session string }

// openCall is a tool call whose result may come.
type openCall struct {
	feed
	id    string // the correlation of its HUD facts
	tool  string // by the name of seed 001
	call  hud.Call
	since int64
	ended bool
}

// openCalls remembers the latest calls, so that a result finds its call: by id,
// or, where the sender gives none, the oldest of the feed with the same tool
// (seed 001). It forgets the oldest. All methods are safe for concurrent use.
type openCalls struct {
	limit int
	mu    sync.Mutex
	calls []*openCall // oldest first
	lost  []*openCall // forgotten while they were open; they are ended soon
}

func newOpenCalls(limit int) *openCalls { return &openCalls{limit: limit} }

// start remembers a call; undo takes that back when it was not recorded.
func (o *openCalls) start(c openCall) (undo func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.add(&c)
	return func() { o.drop(&c) }
}

// end finds the call that a result belongs to; nil when it is not known. Tell is
// false when the call has ended already. Undo takes the end back when it was not
// recorded.
func (o *openCalls) end(f feed, r *ui.ToolResult) (c *openCall, tell bool, undo func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c = o.find(f, r); c != nil {
		if c.ended {
			return c, false, func() {}
		}
		c.ended = true
		return c, true, func() { o.reopen(c) }
	}
	if r.CallID == "" {
		return nil, true, func() {}
	}
	over := &openCall{feed: f, id: hud.ForeignID(r.CallID), ended: true}
	o.add(over)
	return nil, true, func() { o.drop(over) }
}

// find is the latest call with the result's id; without one, the oldest that is
// open and has the same tool, or any tool where the result names none.
func (o *openCalls) find(f feed, r *ui.ToolResult) *openCall {
	if r.CallID != "" {
		for _, c := range slices.Backward(o.calls) {
			if c.feed == f && c.id == hud.ForeignID(r.CallID) {
				return c
			}
		}
		return nil
	}
	tool := hud.CanonicalTool(r.Tool)
	for _, c := range o.calls {
		if c.feed == f && !c.ended && (r.Tool == ui.Unnamed || tool == c.tool) {
			return c
		}
	}
	return nil
}

func (o *openCalls) add(c *openCall) {
	if o.calls = append(o.calls, c); len(o.calls) <= o.limit {
		return
	}
	if old := o.calls[0]; !old.ended && len(o.lost) < o.limit {
		o.lost = append(o.lost, old)
	}
	o.calls = slices.Delete(o.calls, 0, 1)
}

// same reports whether two are one call.
func (c *openCall) same(o *openCall) bool { return c.feed == o.feed && c.id == o.id }

// lose keeps a call that is over until it is ended.
func (o *openCalls) lose(c *openCall) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.lost) < o.limit {
		o.lost = append(o.lost, c)
	}
}

// overdue gives up the calls that are open since then, and those that were
// forgotten.
func (o *openCalls) overdue(then int64) []*openCall {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := o.lost
	o.lost = nil
	for _, c := range o.calls {
		if !c.ended && c.since <= then {
			c.ended = true
			list = append(list, c)
		}
	}
	return list
}

func (o *openCalls) drop(c *openCall) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls = slices.DeleteFunc(o.calls, func(other *openCall) bool { return other == c })
}

func (o *openCalls) reopen(c *openCall) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c.ended = false
}
