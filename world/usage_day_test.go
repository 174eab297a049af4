package world_test

import (
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// A9: usage that is reported a day late counts for the day on which it occurred. The number of days
// stays limited, regardless of how old the reports are.
func TestUsageCountsForItsDay(t *testing.T) {
	noon := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	report := func(tokens int64, at time.Time) contracts.Body {
		return &contracts.Event{Name: contracts.EventUsageReported, AgentID: "agent_bd", Usage: &contracts.Usage{TokensIn: tokens, At: at.UnixMilli()}}
	}
	bodies := []contracts.Body{opened(), report(1, noon), report(2, noon.Add(-24*time.Hour))}
	for n := range contracts.LimitUsageDays + 10 {
		bodies = append(bodies, report(1, noon.AddDate(0, 0, -2-n)))
	}
	recs := tape(t, bodies...)
	for i := range recs {
		recs[i].TS = noon.Add(time.Hour).UnixMilli()
	}
	w := fold(t, recs)
	days := w.UsageDays()
	if len(days) != contracts.LimitUsageDays {
		t.Fatalf("%d days are kept", len(days))
	}
	last, before := days[len(days)-1], days[len(days)-2]
	if last.Day != "2026-11-15" || last.TokensIn != 1 || before.Day != "2026-11-14" || before.TokensIn != 2 || days[0].TokensIn != 13 {
		t.Errorf("last day %+v, the day before %+v, oldest day %+v", last, before, days[0])
	}
	if row := w.UsageAgents()[0]; row.Last.Day != "2026-11-15" || row.Last.TokensIn != 1 {
		t.Errorf("on its last day %+v", row.Last)
	}
}
