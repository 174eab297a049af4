package server

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/agentstest"
	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/staff"
	"github.com/bullpen-office/bullpen/view"
)

// A vendor needs only its line in the list of adapters: its agents join through its own endpoint,
// are explained and can be stopped, and crew members can run on it.
func TestVendorNeedsOneLine(t *testing.T) {
	cfg := Config{
		DataDir: t.TempDir(), Adapters: append(slices.Clone(all.Adapters), agentstest.Toy(t.TempDir())), Options: map[string]agents.Options{agentstest.Source: agentstest.Greeting("Ahoy")},
		Staff: staff.Staff{Agents: []staff.Agent{{ID: "agent_writer_1", Runner: "toy"}}},
	}
	r := startRig(t, cfg)
	report := func(body string) (status int, answer string) { return r.post("/hooks/toy", body) }
	if status, body := report(`{"name":"Bear","turn":"t1"}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	if status, body := report(`nonsense`); status != http.StatusBadRequest {
		t.Errorf("%d %s", status, body)
	}
	bear := agentstest.AgentID("Bear")
	r.untilListed(bear, func(a view.AgentRow) bool {
		return a.Source == "toy" && a.Label == "Toy" && a.Activity == contracts.ActivityWorking && len(a.Turns) == 1
	})
	if e := r.explain(bear); !strings.Contains(e.Why, "Playing") || len(e.Recent) == 0 {
		t.Errorf("explained as %+v", e)
	}
	r.untilRecorded(bear, contracts.ActivityWorking)
	v := r.dial(cfg.ownerToken(t))
	v.command(contracts.CmdStopAgent, contracts.AgentControl{AgentID: bear})
	r.untilTrue("the agent is told to stop", func() bool {
		_, body, _ := r.get("/readyz", cfg.ownerToken(t))
		return strings.Contains(body, `"url":"toy:","connected":true,"people":1`)
	})
	if status, body := report(`{"name":"Bear","turn":"t1","over":true}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	r.untilListed(bear, func(a view.AgentRow) bool { return a.Activity == contracts.ActivityIdle && len(a.Turns) == 0 })
	status, body := r.post("/v1/chat/completions", `{"model":"bullpen/agent_writer_1","messages":[{"role":"user","content":"who are you?"}]}`)
	if status != http.StatusOK || !strings.Contains(body, "Ahoy, ") || !strings.Contains(body, "who are you?") {
		t.Errorf("hired: %d %s", status, body)
	}
}
