package crew

import (
	"context"
	"strings"

	"github.com/bullpen-office/bullpen/activity"
	"github.com/bullpen-office/bullpen/contracts"
)

// closeLeftovers ends what a crew that was killed left open, so that every start
// has its end.
func (c *Crew) closeLeftovers(ctx context.Context) {
	if c.History == nil {
		return
	}
	ends, err := activity.Leftovers(ctx, c.History, c.NewUUID, c.owns, c.Roots)
	if err != nil {
		c.Logger.Warn("activity that was left open stays open until the next start", "error", err)
		return
	}
	for _, end := range ends {
		err := activity.Insist(ctx, c.Logger, string(end.Event), func(ctx context.Context) error {
			return c.Office.Record(ctx, contracts.HUDSeen{HUD: end})
		})
		if err != nil {
			c.Logger.Warn("activity that was left open was not ended", "agent", end.AgentID, "event", end.Event, "error", err)
		}
	}
}

// owns reports whether a fact is of one of this crew's turns: <runner>:<agent>. A
// guest's session may begin with the same word, but never goes on with its id.
func (c *Crew) owns(h *contracts.HUD) bool {
	runner, agent, ok := strings.Cut(h.Session, ":")
	return ok && agent == h.AgentID && (c.Runners[runner] != nil || runner == c.Default)
}
