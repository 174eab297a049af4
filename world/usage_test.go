package world_test

import (
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// An agent's usage on its last active day is kept in addition to its total, because daily budgets
// need it.
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

// The length of a conversation is the length reported with the agent's last message. A report on a
// whole turn, which has no timestamp, does not change it.
func TestContextIsThatOfTheLastMessage(t *testing.T) {
	message := func(in, read, write, at int64) contracts.Body {
		return &contracts.Event{Name: contracts.EventUsageReported, AgentID: "agent_bd", Usage: &contracts.Usage{TokensIn: in, CacheRead: read, CacheWrite: write, At: at}}
	}
	for _, c := range []struct {
		name    string
		reports []contracts.Body
		want    int64
	}{
		{"no report", nil, 0},
		{"a turn", []contracts.Body{used(500)}, 0},
		{"two messages", []contracts.Body{message(5, 80_000, 700, 1), message(9, 12_000, 0, 2)}, 12_009},
		{"a price without tokens", []contracts.Body{message(5, 80_000, 700, 1), message(0, 0, 0, 2)}, 80_705},
		{"a turn after a message", []contracts.Body{message(5, 80_000, 700, 1), used(500_000)}, 80_705},
	} {
		w := fold(t, tape(t, append([]contracts.Body{opened()}, c.reports...)...))
		for _, row := range w.Snapshot(0, nil, nil).Agents {
			if row.AgentID == "agent_bd" && row.Context != c.want {
				t.Errorf("%s: context %d, want %d", c.name, row.Context, c.want)
			}
		}
	}
}
