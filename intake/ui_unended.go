package intake

import (
	"context"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// callCheck is the interval between checks for calls that have not ended.
const callCheck = 10 * time.Second

// Run ends calls, turns and thoughts that have been silent for SilenceTool, so that every start has
// an end. It returns when ctx is done.
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
		h := c.timeoutFact(source, u.NewUUID(), took)
		if refusal := u.Office.Tell(ctx, contracts.HUDSeen{HUD: h})[0].Refusal; refusal != nil && refusal.Code == contracts.CodeInternal {
			u.calls.requeue(c) // retried at the next check
		}
	}
}

// timeoutFact returns a fact that ends a call, turn or thought whose end was never reported.
func (c *openCall) timeoutFact(source hud.Source, id string, took time.Duration) contracts.HUD {
	span := hud.Span{Correlation: c.id, Parent: c.parent}
	switch c.span {
	case spanTurn:
		return hud.TurnEnd(source, id, span, took, hud.NoEnd)
	case spanThink:
		return hud.ThinkEnd(source, id, span, took, hud.NoEnd)
	}
	h, _ := hud.ToolEnd(source, id, span, c.call, hud.FailedCall(c.call, hud.NoEnd), took) // the result of a failed call is never large
	return h
}

// TakeOver restores the calls that were open when the previous server stopped, because their
// results may still arrive. Call it before serving requests.
func (u *UI) TakeOver(open []contracts.Opened) {
	for _, o := range open {
		h := &o.HUD
		u.calls.start(openCall{
			feed: feed{h.AgentID, h.Session}, span: (&hudEvent{Event: h.Event}).span(), id: h.CorrelationID, parent: h.ParentID, named: true,
			tool: h.Tool, call: hud.Call{Tool: h.Tool, Args: h.Args}, since: o.TS, lastEventAt: o.TS,
		})
	}
}
