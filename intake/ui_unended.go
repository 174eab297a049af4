package intake

import (
	"context"
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// History is what the ledger remembers of earlier lives.
type History interface {
	Head() uint64
	Read(ctx context.Context, after uint64, limit int, kinds ...contracts.Kind) ([]contracts.Record, error)
}

// callCheck is between two looks for calls that nobody ended.
const callCheck = 10 * time.Second

// Run ends the calls whose result nobody told for SilenceTool, until ctx ends: so
// every start has its end.
func (u *UI) Run(ctx context.Context) error {
	tick := time.NewTicker(callCheck)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			u.endOverdue(ctx)
		}
	}
}

func (u *UI) endOverdue(ctx context.Context) {
	now := u.Now().UnixMilli()
	for _, c := range u.calls.overdue(now - contracts.SilenceTool.Milliseconds()) {
		source := hud.Source{AgentID: c.agent, Session: c.session, Roots: u.Roots}
		took := time.Duration(max(now-c.since, 0)) * time.Millisecond
		h := c.givenUp(source, u.NewUUID(), took)
		if no := u.Office.Tell(ctx, contracts.HUDSeen{HUD: h})[0].Refusal; no != nil && no.Code == contracts.CodeInternal {
			u.calls.lose(c) // again with the next look
		}
	}
}

const noEnd = "no end was seen"

// givenUp is the end of a call, turn or thought that was never ended.
func (c *openCall) givenUp(source hud.Source, id string, took time.Duration) contracts.HUD {
	span := hud.Span{Correlation: c.id, Parent: c.parent}
	switch c.span {
	case spanTurn:
		return hud.TurnEnd(source, id, span, took, noEnd)
	case spanThink:
		return hud.ThinkEnd(source, id, span, took, noEnd)
	}
	h, _ := hud.ToolEnd(source, id, span, c.call, hud.FailedCall(c.call, noEnd), took) // a failure is never large
	return h
}

// TakeOver remembers the calls that guests who are known only by their events had
// open when the last life of the server ended: their results may still come. It is
// called before the doors open.
func (u *UI) TakeOver(ctx context.Context, history History, guests []contracts.Agent) {
	ours := map[string]bool{}
	for _, a := range guests {
		ours[a.AgentID] = a.Source == contracts.SourceUI
	}
	var open []*openCall
	head := history.Head()
	after := head - min(head, contracts.LimitLookBack)
	for more := true; more; {
		page, err := history.Read(ctx, after, contracts.LimitReplayPage, contracts.KindHUD)
		if err != nil {
			u.Log.Warn("calls of workflows that were left open stay open", "error", err)
			return
		}
		for _, rec := range page {
			after = rec.Seq
			open = replayed(open, rec, ours)
		}
		more = len(page) == contracts.LimitReplayPage
	}
	for _, c := range open {
		u.calls.start(*c)
	}
}

// replayed adds the call that a record starts, or takes away the one that it ends.
func replayed(open []*openCall, rec contracts.Record, ours map[string]bool) []*openCall {
	body, err := rec.Decode()
	h, ok := body.(*contracts.HUD)
	if err != nil || !ok || !ours[h.AgentID] {
		return open
	}
	c := &openCall{
		feed: feed{h.AgentID, h.Session}, span: (&hudEvent{Event: h.Event}).span(), id: h.CorrelationID, parent: h.ParentID, named: true,
		tool: h.Tool, call: hud.Call{Tool: h.Tool, Args: h.Args}, since: rec.TS, sign: rec.TS,
	}
	switch h.Event {
	case contracts.HUDToolStart, contracts.HUDTurnStart, contracts.HUDThinkStart:
		return append(open, c)
	case contracts.HUDToolEnd, contracts.HUDTurnEnd, contracts.HUDThinkEnd:
		return slices.DeleteFunc(open, c.same)
	}
	return open
}
