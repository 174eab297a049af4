package intake

import (
	"cmp"
	"context"
	"strconv"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
)

// post records the events of one request.
type post struct {
	*UI
	principal contracts.Principal
	now       int64
	agents    map[string]eventAgent // by the name that the sender uses for the agent

	facts []contracts.Fact
	notes []note // one for each fact
}

// note records what to do once the office has replied to a fact.
type note struct {
	event    int
	who      eventAgent
	session  string
	activity bool            // the fact records the activity in a workflow event
	keyed    bool            // the event has an id, so it may be sent again
	evidence status.Evidence // evidence about the agent; none if Claim is empty
	undo     func()          // called if the fact was not recorded; may be nil
}

// record stores all events in one batch and returns the result of each.
func (p *post) record(ctx context.Context, events []event) []outcome {
	out := make([]outcome, len(events))
	for i := range events {
		e := &events[i]
		if e.refusal == nil {
			e.refusal = p.draft(ctx, i, e, &out[i])
		}
		out[i].refusal = e.refusal
	}
	if len(p.facts) == 0 {
		return out
	}
	replies := p.Office.Tell(ctx, p.facts...)
	p.readmit(ctx, replies)
	for i, reply := range replies {
		p.applyReply(ctx, p.notes[i], reply, &out[p.notes[i].event])
	}
	for i := range out {
		if o := &out[i]; o.ID == "" && o.Seq > 0 && o.refusal == nil {
			o.ID = "ui_s" + strconv.FormatUint(o.Seq, 10)
		}
	}
	return out
}

// readmit readmits agents that left during the request, retries their facts, and replaces the
// replies.
func (p *post) readmit(ctx context.Context, replies []contracts.Reply) {
	var again []int
	var facts []contracts.Fact
	for i, reply := range replies {
		who := p.notes[i].who
		if refusal := reply.Refusal; refusal == nil || refusal.Code != contracts.CodeNotFound || who.id == "" || !who.guest {
			continue
		}
		if p.admit(ctx, who, p.notes[i].session) == nil {
			again, facts = append(again, i), append(facts, p.facts[i])
		}
	}
	if len(again) == 0 {
		return
	}
	for i, reply := range p.Office.Tell(ctx, facts...) {
		replies[again[i]] = reply
	}
}

// applyReply updates an event's result with the reply to one of the event's facts, and passes the
// evidence to the roster.
func (p *post) applyReply(ctx context.Context, n note, reply contracts.Reply, out *outcome) {
	if n.undo != nil && (reply.Duplicate || reply.Refusal != nil) {
		n.undo()
	}
	if n.activity {
		if refusal := reply.Refusal; refusal != nil {
			p.Log.Warn("could not record the activity of a workflow event", "agent", n.who.id, "error", refusal)
			if n.keyed && out.refusal == nil { // sending the event again records its activity
				out.refusal = refusal
			}
		}
		return
	}
	if reply.Refusal != nil {
		out.refusal = cmp.Or(out.refusal, reply.Refusal)
		return
	}
	if out.Seq == 0 {
		out.Seq, out.Duplicate = reply.Seq, reply.Duplicate
	}
	out.DecisionID = cmp.Or(out.DecisionID, reply.Result.DecisionID)
	if e := n.evidence; e.Claim != "" && n.who.guest && !reply.Duplicate {
		if e.Claim == status.Asked {
			e.Call = reply.Result.DecisionID
		}
		p.Guests.AddEvidence(ctx, n.who.id, e)
	}
}
