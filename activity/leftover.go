package activity

import (
	"context"
	"fmt"
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

// leftover is a start whose end was not recorded.
type leftover struct {
	hud contracts.HUD
	ts  int64
}

// Leftovers are the ends of what a life that was killed left open in the newest
// records, in the order in which they must be recorded: what lies inside a turn
// ends before it. Killed again in between, the next life finds the rest. Roots say
// how the paths of an agent are shown.
func Leftovers(ctx context.Context, history History, newUUID func() string, owns func(*contracts.HUD) bool, roots func(agentID string) hud.Roots) (ends []contracts.HUD, err error) {
	var open []leftover
	seen := int64(0) // the last sign of life
	head := history.Head()
	after := head - min(head, contracts.LimitLookBack)
	for more := true; more; {
		page, err := history.Read(ctx, after, contracts.LimitReplayPage, contracts.KindHUD)
		if err != nil {
			return nil, fmt.Errorf("read activity after %d: %w", after, err)
		}
		for _, rec := range page {
			after = rec.Seq
			body, err := rec.Decode()
			if err != nil {
				return nil, err
			}
			if h, ok := body.(*contracts.HUD); ok && h.CorrelationID != "" && owns(h) {
				seen = max(seen, rec.TS)
				open = pair(open, leftover{*h, rec.TS})
			}
		}
		more = len(page) == contracts.LimitReplayPage
	}
	for _, l := range slices.Backward(open) {
		// It went on until its last sign at least; how much longer, nobody knows.
		took := time.Duration(seen-l.ts) * time.Millisecond
		if end, ok := hud.EndOf(l.hud, newUUID(), took, "the server stopped in the middle", roots(l.hud.AgentID)); ok {
			ends = append(ends, end)
		}
	}
	return ends, nil
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
