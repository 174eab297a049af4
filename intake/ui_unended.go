package intake

import (
	"context"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

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

// TakeOver remembers what workflow events had opened when the last life of the server
// ended: results and ends may still come. It is called before the doors open.
func (u *UI) TakeOver(open []contracts.Opened) {
	for _, o := range open {
		h := &o.HUD
		u.calls.start(openCall{
			feed: feed{h.AgentID, h.Session}, span: (&hudEvent{Event: h.Event}).span(), id: h.CorrelationID, parent: h.ParentID, named: true,
			tool: h.Tool, call: hud.Call{Tool: h.Tool, Args: h.Args}, since: o.TS, sign: o.TS,
		})
	}
}
