package server

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/view"
)

func (r *rig) tell(facts ...contracts.Fact) {
	r.t.Helper()
	for _, reply := range r.office.Tell(r.t.Context(), facts...) {
		if reply.Refusal != nil {
			r.t.Fatal(reply.Refusal)
		}
	}
}

// usage polls /v1/usage until the given number of reports is counted, and returns the response.
func (r *rig) usage(query, token string, reports int64) (u view.Usage, body string) {
	r.t.Helper()
	r.untilTrue(fmt.Sprintf("%d reports are counted", reports), func() bool {
		var status int
		status, body, _ = r.get("/v1/usage"+query, token)
		u = view.Usage{}
		if err := json.Unmarshal([]byte(body), &u); status != 200 || err != nil {
			r.t.Fatalf("%d %s: %v", status, body, err)
		}
		return u.Lifetime.Priced+u.Lifetime.Unpriced == reports
	})
	return u, body
}

// A9: totals survive a restart; an unknown price is unknown, never zero.
func TestUsageSurvivesARestart(t *testing.T) {
	cfg := Config{DataDir: t.TempDir(), Crew: CrewNone, Now: atNoon()}
	r := startRig(t, cfg)
	token := cfg.ownerToken(t)
	if u, body := r.usage("", token, 0); u.Lifetime.CostUSD != nil || !strings.Contains(body, `"cost_usd":null`) || !strings.Contains(body, `"days":[]`) {
		t.Errorf("an unused office: %s", body)
	}
	r.tell(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: "agent_claude_1", Name: "Claude", Source: "claude"}})
	report := contracts.UsageSeen{Key: "k1", AgentID: "agent_claude_1", Usage: contracts.Usage{TokensIn: 100, TokensOut: 10, CacheRead: 5}}
	r.tell(report, report) // counts once
	u, _ := r.usage("", token, 1)
	if u.Lifetime.CostUSD != nil || u.Lifetime.Unpriced != 1 || u.Today.TokensIn != 100 {
		t.Errorf("unpriced: %+v", u.Lifetime)
	}
	price := 0.25
	r.tell(contracts.UsageSeen{Key: "k2", AgentID: "agent_claude_1", Usage: contracts.Usage{TokensIn: 1, TokensOut: 1, CostUSD: &price}})
	u, before := r.usage("?days=400", token, 2)
	if len(u.Days) != 1 || len(u.Agents) != 1 || u.Agents[0].Name != "Claude" || *u.Agents[0].CostUSD != price || u.Agents[0].Unpriced != 1 || u.Days[0].Day != u.Day {
		t.Errorf("priced: %s", before)
	}
	r.stop()
	again := startRig(t, cfg)
	if _, after := again.usage("?days=400", cfg.ownerToken(t), 2); after != before {
		t.Errorf("before %s\nafter %s", before, after)
	}
}

func TestUsageParts(t *testing.T) {
	r := startRig(t, Config{Crew: CrewNone})
	if _, body := r.usage("?by=agent", "", 0); !strings.Contains(body, `"agents":[]`) || strings.Contains(body, `"days"`) || strings.Contains(body, `"tasks"`) {
		t.Errorf("by=agent: %s", body)
	}
	for _, query := range []string{"?days=0", "?days=x", "?days=401", "?by=planet", "?by=agent,,day"} {
		if status, body, _ := r.get("/v1/usage"+query, ""); status != 400 || !strings.Contains(body, "VALIDATION_FAILED") {
			t.Errorf("%s: %d %s", query, status, body)
		}
	}
}
