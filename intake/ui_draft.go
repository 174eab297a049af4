package intake

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/ui"
)

// draft creates the facts for one event, or returns a refusal.
func (p *post) draft(ctx context.Context, i int, e *event, out *outcome) *contracts.Refusal {
	who := p.resolveAgent(ctx, e)
	if who.refusal != nil {
		return who.refusal
	}
	e.run, e.session, e.source = hud.ForeignID(e.run), hud.ForeignID(e.session), p.sourceOf(e, who)
	if e.id != "" {
		e.id = hud.ForeignID(e.id)
	}
	out.ID = e.id
	if e.hud != nil {
		out.Note = who.note
		return p.draftHUD(ctx, note{event: i, who: who, session: e.session, keyed: e.id != ""}, e, out)
	}
	parts := e.parts()
	_, out.Ignored = ui.Items(parts)
	from := len(p.facts)
	for k, part := range parts {
		if refusal := p.draftPart(ctx, note{event: i, who: who, session: e.session, keyed: e.id != ""}, e, k, part, out); refusal != nil {
			p.withdraw(from)
			return refusal
		}
	}
	out.Note = cmp.Or(out.Note, who.note)
	return nil
}

// withdraw discards the drafted facts whose index is at least from, and undoes their effects on
// open calls.
func (p *post) withdraw(from int) {
	for _, n := range p.notes[from:] {
		if n.undo != nil {
			n.undo()
		}
	}
	p.facts, p.notes = p.facts[:from], p.notes[:from]
}

// sourceOf returns the namespace of an event's id. A credential bound to one agent has its own
// namespace, so that it cannot use up the ids of another agent.
func (p *post) sourceOf(e *event, who eventAgent) string {
	if e.source != "" && p.principal.AgentID == "" {
		return hud.ForeignID(e.source)
	}
	own := p.principal.ID
	for _, part := range []string{who.id, e.source} {
		if part != "" {
			own += "/" + part
		}
	}
	return hud.ForeignID(own)
}

func (p *post) draftPart(ctx context.Context, n note, e *event, k int, part ui.Part, out *outcome) *contracts.Refusal {
	happened := e.happened(p.now)
	seen := contracts.UISeen{UI: contracts.UI{
		AgentID: n.who.id, RunID: e.run, Session: e.session, Subrun: e.subrun, Ignored: part.Ignored,
		Name: contracts.Clip(contracts.CleanLine(ui.Name(e.name)), contracts.LimitName), Source: e.source, EventID: e.partID(k),
	}}
	seen.UI.Normalized, seen.UI.Raw = ui.Recorded(part, e.subrun)
	out.setNote(e, part, seen.UI.Normalized)
	if part.Item != nil {
		seen.UI.Kind = part.Item.ItemKind()
	}
	switch item := part.Item.(type) {
	case *ui.Status:
		if happened < p.now {
			seen.UI.ExpiresAt = item.Expires(happened)
		} else {
			seen.Lasts = item.Expires(0)
		}
	case *ui.Ask:
		seen.Ask = &contracts.AskSeen{
			AgentID: n.who.id, Kind: contracts.DecisionAsk, Prompt: hud.Redact(item.Prompt), Options: redacted(item.Options),
			AllowFreeText: item.AllowFreeText, ExpiresAt: item.Expires(p.now),
		}
		if seen.UI.EventID == "" { // so that the response names this record, not the record of the question
			seen.UI.EventID = p.NewUUID()
		}
	}
	p.calls.touch(feed{n.who.id, hudSession(n.who.id, e.session)}, happened)
	activity, note, refusal := p.activity(ctx, n, e, k, part.Item)
	if refusal != nil {
		return refusal
	}
	n.evidence = evidenceOf(part.Item, activity, happened)
	p.facts, p.notes = append(p.facts, seen), append(p.notes, n)
	if activity != nil {
		p.facts, p.notes = append(p.facts, contracts.HUDSeen{HUD: *activity, Once: n.keyed, Watch: contracts.SourceUI}), append(p.notes, note)
	}
	return nil
}

// partID returns the id of the k-th part of an event. All ids but the first contain two spaces in a
// row, so they cannot be equal to a sender's own id.
func (e *event) partID(k int) string {
	if k == 0 || e.id == "" {
		return e.id
	}
	return e.id + "  " + strconv.Itoa(k+1)
}

// activity returns the HUD fact for a tool call or its first result, and nil for any other item.
func (p *post) activity(ctx context.Context, n note, e *event, k int, item ui.Item) (*contracts.HUD, note, *contracts.Refusal) {
	n.activity = true
	source := hud.Source{AgentID: n.who.id, Session: hudSession(n.who.id, e.session), Roots: p.Roots}
	f := feed{source.AgentID, source.Session}
	happened := e.happened(p.now)
	var h contracts.HUD
	switch item := item.(type) {
	case *ui.ToolCall:
		c := openCall{feed: f, tool: hud.CanonicalTool(item.Tool), call: callOf(item), since: happened, id: hud.ForeignID(item.CallID), named: item.CallID != ""}
		if c.id == "" {
			c.id = p.factID(e, k, "call")
		}
		h = hud.ToolStart(source, p.factID(e, k, "start"), hud.Span{Correlation: c.id}, c.call)
		n.undo = p.calls.start(c)
	case *ui.ToolResult:
		id := p.factID(e, k, "end")
		c, record, undo := p.calls.end(endOf(f, item), id)
		if !record {
			return nil, n, nil // ends are idempotent
		}
		if c == nil {
			c = &openCall{id: hud.ForeignID(item.CallID), call: hud.Call{Tool: item.Tool}, since: happened}
			if c.id == "" { // matches no call
				c.id = p.factID(e, k, "call")
			}
		}
		took := time.Duration(max(happened-c.since, 0)) * time.Millisecond
		var whole []byte
		h, whole = hud.ToolEnd(source, id, hud.Span{Correlation: c.id, Parent: c.parent}, c.call, resultOf(c.call, item), took)
		n.undo = undo
		if refusal := p.keep(ctx, whole); refusal != nil {
			undo()
			return nil, n, refusal
		}
	default:
		return nil, n, nil
	}
	if happened != p.now {
		h.At = happened
	}
	return &h, n, nil
}

// keep stores a complete result that is too large to record; it ignores nil.
func (p *post) keep(ctx context.Context, whole []byte) *contracts.Refusal {
	if whole == nil {
		return nil
	}
	if _, err := p.Blobs.PutBlob(ctx, whole); err != nil {
		return contracts.Refuse(contracts.CodeInternal, "the result could not be stored: %v; send it again", err)
	}
	return nil
}

// factID derives the id of a HUD fact from the event's id, so that an event that is sent again
// results in the same fact. If the event has no id, factID returns a new one.
func (p *post) factID(e *event, k int, what string) string {
	if e.id == "" {
		return p.NewUUID()
	}
	return contracts.DerivedUUID("ui", e.source, e.id, strconv.Itoa(k), what)
}

func redacted(options []string) []string {
	out := make([]string, len(options))
	for i, o := range options {
		out[i] = hud.Redact(o)
	}
	return out
}

func callOf(c *ui.ToolCall) hud.Call {
	if c.ArgsRaw != nil {
		return hud.Call{Tool: c.Tool, Args: hud.Value(map[string]any{"raw": c.ArgsRaw})}
	}
	return hud.Call{Tool: c.Tool, Args: c.Args}
}

// resultOf converts a result to the format of its tool's results.
func resultOf(call hud.Call, r *ui.ToolResult) hud.Result {
	result, ok := hud.ObjectResult(call, r.Output)
	if !ok {
		result, ok = hud.ObjectResult(call, r.Object)
	}
	if !ok {
		result = hud.ValueResult(call, r.Output, r.Whole)
	}
	why := r.Whole
	if ran, ok := result.(hud.ExecResult); ok && r.Exit != nil {
		ran.ExitCode, ran.OK = *r.Exit, *r.Exit == 0
		result, why = ran, fmt.Sprintf("exit code %d", *r.Exit)
	}
	if r.Failed {
		result = hud.Failed(result, why)
	}
	return result
}
