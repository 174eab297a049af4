package intake

import (
	"cmp"
	"slices"
	"sync"

	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/ui"
)

// feed is the scope for matching calls with results: an agent's session.
type feed struct{ agent, session string }

// spanKind is the kind of span that an event opens: a call, a turn or thinking.
type spanKind int

const (
	spanTool spanKind = iota
	spanTurn
	spanThink
)

// openCall is a tool call whose result may still arrive, or a turn or a period of thinking that a
// framework reports.
type openCall struct {
	feed
	span        spanKind
	id          string // correlation id of its HUD facts
	named       bool   // the sender gave the id
	parent      string // correlation id of the enclosing turn
	tool        string // canonical name of the tool
	call        hud.Call
	since       int64
	lastEventAt int64 // for a turn or thinking: time of the last event in its feed
	ended       bool
	endID       string // id of the fact that recorded the end
}

// openCalls remembers the latest calls, so that a result can be matched with its call: the call with
// the result's id or, without an id, the oldest open call to the same tool in the feed. Beyond
// limit, the oldest calls are dropped. All methods are safe for concurrent use.
type openCalls struct {
	limit   int
	mu      sync.Mutex
	calls   []*openCall // oldest first
	spans   []*openCall // the turns and thoughts among calls
	unended []*openCall // dropped while still open, or their end could not be recorded; Run ends them
}

func newOpenCalls(limit int) *openCalls { return &openCalls{limit: limit} }

// start remembers a call. If the call is not recorded, undo forgets it.
func (o *openCalls) start(c openCall) (undo func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.add(&c)
	return func() { o.drop(&c) }
}

// endOf converts a tool result to the end of its call.
func endOf(f feed, r *ui.ToolResult) openCall {
	end := openCall{feed: f, id: hud.ForeignID(r.CallID), named: r.CallID != ""}
	if r.Tool != ui.Unnamed {
		end.tool = hud.CanonicalTool(r.Tool)
	}
	return end
}

// completedFrom returns c with a missing parent or tool filled in from the call's end.
func (c *openCall) completedFrom(end openCall) openCall {
	completed := *c
	completed.parent = cmp.Or(completed.parent, end.parent)
	completed.call.Tool = cmp.Or(completed.call.Tool, end.call.Tool)
	return completed
}

// end finds the call that is ending, marks it as ended and returns it, or nil if the call is unknown.
// record is false if a fact with a different id has already ended the call. If the end is not
// recorded, undo reopens the call.
func (o *openCalls) end(end openCall, id string) (c *openCall, record bool, undo func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c = o.find(end); c != nil {
		if c.ended {
			return c, c.endID == id, func() {}
		}
		c.ended, c.endID = true, id
		return c, true, func() { o.reopen(c) }
	}
	if !end.named {
		return nil, true, func() {}
	}
	over := end
	over.ended, over.endID = true, id
	o.add(&over)
	return nil, true, func() { o.drop(&over) }
}

// find returns the latest call with the end's id or, if the end has no id, the oldest open call to
// the same tool. An end without a tool matches only if all open calls are to one tool and the
// sender gave them no ids.
func (o *openCalls) find(end openCall) *openCall {
	if end.named {
		for _, c := range slices.Backward(o.calls) {
			if c.feed == end.feed && c.span == end.span && c.id == end.id {
				return c
			}
		}
		return nil
	}
	var found *openCall
	for _, c := range o.calls {
		if c.feed != end.feed || c.span != end.span || c.ended {
			continue
		}
		switch {
		case end.span != spanTool || end.tool != "" && end.tool == c.tool:
			return c
		case end.tool != "":
		case found != nil && found.tool != c.tool, c.named:
			return nil
		case found == nil:
			found = c
		}
	}
	return found
}

// touch records that an event arrived on a feed, which keeps the feed's turns and thoughts open.
func (o *openCalls) touch(f feed, at int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, c := range o.spans {
		if c.feed == f && !c.ended {
			c.lastEventAt = max(c.lastEventAt, at)
		}
	}
}

func (o *openCalls) add(c *openCall) {
	c.call.Args = c.call.Args.Clone() // otherwise the arguments keep the whole request in memory
	if c.span != spanTool {
		o.spans = append(o.spans, c)
	}
	if o.calls = append(o.calls, c); len(o.calls) <= o.limit {
		return
	}
	old := o.calls[0]
	if !old.ended && len(o.unended) < o.limit {
		o.unended = append(o.unended, old)
	}
	o.calls[0] = nil // free the call; copying the others would cost more
	o.calls = o.calls[1:]
	o.forgetSpan(old)
}

func (o *openCalls) forgetSpan(c *openCall) {
	if c.span != spanTool {
		o.spans = slices.DeleteFunc(o.spans, func(other *openCall) bool { return other == c })
	}
}

// requeue makes Run try again to end a call whose end could not be recorded.
func (o *openCalls) requeue(c *openCall) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.unended) < o.limit {
		o.unended = append(o.unended, c)
	}
}

// overdue marks as ended all open calls that have had no activity since the given time. It returns
// them, together with the calls that were dropped while still open and those that were requeued.
func (o *openCalls) overdue(then int64) []*openCall {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := o.unended
	o.unended = nil
	for _, c := range o.calls {
		if !c.ended && max(c.since, c.lastEventAt) <= then {
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
	o.forgetSpan(c)
}

func (o *openCalls) reopen(c *openCall) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c.ended, c.endID = false, ""
}
