package crew

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// leftover is a start whose end the last life of the crew did not record.
type leftover struct {
	hud contracts.HUD
	ts  int64
}

// closeLeftovers ends what a crew that was killed left open, so that every start
// has its end. Killed again in between, the next life ends the rest.
func (c *Crew) closeLeftovers(ctx context.Context) {
	if c.History == nil {
		return
	}
	open, seen, err := c.leftovers(ctx)
	if err != nil {
		c.Logger.Warn("activity that was left open stays open until the next start", "error", err)
		return
	}
	for _, l := range slices.Backward(open) { // what lies inside a turn ends before it
		// It went on until its last sign at least; how much longer, nobody knows.
		took := time.Duration(seen-l.ts) * time.Millisecond
		end, ok := hud.EndOf(l.hud, c.NewUUID(), took, "the server stopped in the middle")
		if !ok {
			continue
		}
		err := insist(ctx, c.Logger, string(end.Event), func(ctx context.Context) error {
			return c.Office.Record(ctx, contracts.HUDSeen{HUD: end})
		})
		if err != nil {
			c.Logger.Warn("activity that was left open was not ended", "agent", end.AgentID, "event", end.Event, "error", err)
		}
	}
}

// leftovers finds starts of this crew without an end in the newest records, oldest
// first, and when it last showed a sign of life.
func (c *Crew) leftovers(ctx context.Context) (open []leftover, seen int64, err error) {
	head := c.History.Head()
	after := head - min(head, contracts.LimitLookBack)
	for {
		page, err := c.History.Read(ctx, after, contracts.LimitReplayPage, contracts.KindHUD)
		if err != nil {
			return nil, 0, fmt.Errorf("read activity after %d: %w", after, err)
		}
		for _, rec := range page {
			after = rec.Seq
			body, err := rec.Decode()
			if err != nil {
				return nil, 0, err
			}
			h, ok := body.(*contracts.HUD)
			if !ok || h.CorrelationID == "" || !c.owns(h) {
				continue
			}
			seen = max(seen, rec.TS)
			open = pair(open, leftover{*h, rec.TS})
		}
		if len(page) < contracts.LimitReplayPage {
			return open, seen, nil
		}
	}
}

// pair adds a start and takes away what an end closes.
func pair(open []leftover, l leftover) []leftover {
	same := func(o leftover) bool { return o.hud.CorrelationID == l.hud.CorrelationID }
	switch l.hud.Event {
	case contracts.HUDTurnStart, contracts.HUDThinkStart, contracts.HUDToolStart:
		if !slices.ContainsFunc(open, same) {
			open = append(open, l)
		}
	case contracts.HUDTurnEnd, contracts.HUDThinkEnd, contracts.HUDToolEnd:
		open = slices.DeleteFunc(open, same)
	}
	return open
}

// owns reports whether a fact is of one of this crew's turns: <runner>:<agent>. A
// guest's session may begin with the same word, but never goes on with its id.
func (c *Crew) owns(h *contracts.HUD) bool {
	runner, agent, ok := strings.Cut(h.Session, ":")
	return ok && agent == h.AgentID && (c.Runners[runner] != nil || runner == c.Default)
}
