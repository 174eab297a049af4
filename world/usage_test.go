package world_test

import (
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// Daily budgets need an agent's usage on that day, in addition to its total.
func TestAgentUsageHasItsLastDay(t *testing.T) {
	recs := tape(t, opened(), used(1), used(2), used(4), used(8))
	noon := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for i, at := range []time.Time{noon, noon, noon, noon.Add(24 * time.Hour), noon} { // the last one is reported with a clock that was set back
		recs[i].TS = at.UnixMilli()
	}
	row := fold(t, recs).UsageAgents()[0]
	if row.TokensIn != 15 || row.Last.Day != "2026-11-16" || row.Last.TokensIn != 12 {
		t.Errorf("total %d, on %s %d", row.TokensIn, row.Last.Day, row.Last.TokensIn)
	}
}

func used(tokens int64) contracts.Body {
	return &contracts.Event{Name: contracts.EventUsageReported, AgentID: "agent_bd", Usage: &contracts.Usage{TokensIn: tokens}}
}
