package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/view"
)

// An unknown price is shown as unknown, never as zero.
func TestCostNeverCallsUnknownZero(t *testing.T) {
	dollar := 1.5
	var out bytes.Buffer
	err := printCost(&out, view.Usage{
		Lifetime: view.UsageTotal{TokensIn: 12, CostUSD: &dollar, Priced: 1, Unpriced: 2},
		Today:    view.UsageTotal{TokensIn: 7, Unpriced: 2},
		Days:     []view.DayUsage{{Day: "2026-01-02", UsageTotal: view.UsageTotal{CostUSD: &dollar, Priced: 1}}},
		Agents:   []view.AgentUsage{{AgentID: "agent_a", Name: "A\x1b[2J"}, {AgentID: "agent_b"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(out.String()), " ")
	want := "cost tokens in tokens out cached total $1.5000 + unknown 12 0 0 today unknown 7 0 0 2026-01-02 $1.5000 0 0 0 A [2J – 0 0 0 agent_b – 0 0 0"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
