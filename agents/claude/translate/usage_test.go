package translate

import (
	"math"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// The cost of a message that reports none is estimated from list prices and marked Listed. The
// session's own total then adds only the difference, so nothing is counted twice.
func TestListPricesAreNotCountedTwice(t *testing.T) {
	var asked contracts.Usage
	var hour int64
	s := NewSession("s", "", Config{Price: func(u contracts.Usage, h int64) (float64, bool) {
		asked, hour = u, h
		return 0.5, u.Model == "claude-sonnet-4-5"
	}})
	tell := func(line string) []contracts.UsageSeen {
		t.Helper()
		r, err := ParseRow([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		updates := s.Row(r)
		return updates.Usage
	}
	message := func(id, model, more string) string {
		return `{"type":"assistant","uuid":"` + id + `","timestamp":"2026-11-16T10:00:01Z"` + more + `,"message":{"id":"` + id + `","model":"` + model + `","role":"assistant","stop_reason":"end_turn","content":[],
			"usage":{"input_tokens":10,"output_tokens":2,"cache_read_input_tokens":5,"cache_creation_input_tokens":7,"cache_creation":{"ephemeral_1h_input_tokens":3,"ephemeral_5m_input_tokens":4}}}}`
	}
	one := tell(message("m1", "claude-sonnet-4-5", ""))
	if len(one) != 1 || one[0].Usage.CostUSD == nil || *one[0].Usage.CostUSD != 0.5 || !one[0].Usage.Listed || hour != 3 || asked.CacheWrite != 7 || asked.CacheRead != 5 {
		t.Fatalf("reported %+v for %+v, %d of it for an hour", one, asked, hour)
	}
	if own := tell(message("m2", "claude-sonnet-4-5", `,"costUSD":0.1`)); *own[0].Usage.CostUSD != 0.1 || own[0].Usage.Listed {
		t.Errorf("with its own price: %+v", own)
	}
	if unknown := tell(message("m3", "some-model", "")); unknown[0].Usage.CostUSD != nil || unknown[0].Usage.Listed {
		t.Errorf("an unknown price: %+v", unknown)
	}
	cost := func(total string) []contracts.UsageSeen {
		return tell(`{"type":"cost-state","timestamp":"2026-11-16T10:00:02Z","totalCostUSD":` + total + `}`)
	}
	if more := cost("0.8"); len(more) != 1 || math.Abs(*more[0].Usage.CostUSD-0.3) > 1e-9 || more[0].Usage.Listed {
		t.Errorf("of 0.8 in all, 0.5 was reported: %+v", more)
	}
	tell(message("m4", "claude-sonnet-4-5", ""))
	if more := cost("1.2"); len(more) != 0 {
		t.Errorf("0.4 more, and 0.5 was reported: %+v", more)
	}
}
