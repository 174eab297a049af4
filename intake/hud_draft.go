package intake

import (
	"context"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// endedBefore is the reply to a second end of a call, a turn or thinking.
const endedBefore = "the end of this activity is already recorded"

// draftHUD creates the fact for a HUD event, or returns a refusal. It ignores a second end of the
// same call.
func (p *post) draftHUD(ctx context.Context, n note, e *event, out *outcome) *contracts.Refusal {
	h := e.hud
	source := hud.Source{AgentID: n.who.id, Session: hudSession(n.who.id, e.session), Roots: p.Roots}
	f := feed{source.AgentID, source.Session}
	happened := e.happened(p.now)
	id := p.factID(e, 0, string(h.Event))
	c := openCall{
		feed: f, span: h.span(), id: hud.ForeignID(h.Correlation), parent: hud.ForeignID(h.Parent),
		named: h.Correlation != "", since: happened, lastEventAt: happened,
		tool: hud.CanonicalTool(h.Call.Tool), call: h.Call,
	}
	if c.id == "" {
		c.id = p.factID(e, 0, "call")
	}
	switch {
	case h.Event == contracts.HUDReceived:
	case h.ends():
		started, record, undo := p.calls.end(c, id)
		if n.undo = undo; !record {
			out.Ignored = endedBefore
			return nil
		}
		if started != nil {
			c = started.completedFrom(c)
		}
	default:
		n.undo = p.calls.start(c)
	}
	took := time.Duration(max(happened-c.since, 0)) * time.Millisecond
	if h.Took != nil {
		took = *h.Took
	}
	fact, whole := h.fact(source, id, c, took)
	if happened != p.now {
		fact.At = happened
	}
	if refusal := p.keep(ctx, whole); refusal != nil {
		if n.undo != nil {
			n.undo()
		}
		return refusal
	}
	p.calls.touch(f, happened)
	n.evidence = h.evidence(fact, happened)
	p.facts, p.notes = append(p.facts, contracts.HUDSeen{HUD: fact, Once: n.keyed, Watch: contracts.SourceUI}), append(p.notes, n)
	return nil
}
