//go:build unix

package server

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/staff"
)

// endless is a model that never comes to an end by itself within reason.
func endless(steps *atomic.Int32) func(string, int) []drivetest.Block {
	return func(prompt string, step int) []drivetest.Block {
		if strings.Contains(prompt, `"tasks"`) {
			return oneTask
		}
		if steps.Add(1); step < 40 {
			return []drivetest.Block{{Tool: "Glob", Input: map[string]string{"pattern": "*.txt"}}}
		}
		return handedOver(`{"artifacts":[{"content":"at last"}]}`)
	}
}

// C3: a program's turn that passes a budget is stopped while it runs, for callers of
// the bridge and for the crew, and what it used is on the record.
func TestBudgetStopsAProgramInTheMiddle(t *testing.T) {
	var steps atomic.Int32
	runner := claudeRunner(t, endless(&steps))
	r := startRig(t, Config{DataDir: t.TempDir(), Crew: "claude", Staff: staff.Staff{Runners: map[string]staff.Runner{"claude": runner}, Budgets: staff.Budgets{AgentDay: staff.Budget{Tokens: 900}}}})
	status, body := r.post("/v1/chat/completions", `{"model":"bullpen/agent_eng_1","messages":[{"role":"user","content":"Look around"}]}`)
	if !strings.Contains(body, "the daily budget of agent_eng_1 is used up") || !strings.Contains(body, "budgets.agent_day") {
		t.Errorf("%d %s", status, body)
	}
	if n := steps.Load(); n < 2 || n > 12 {
		t.Errorf("it was stopped after %d answers of the model", n)
	}
	r.untilTrue("what it used is recorded", func() bool {
		return r.crew.Afford(t.Context(), "agent_eng_1", "", contracts.Usage{}) != nil
	})

	v := r.dial(r.cfg.ownerToken(t))
	v.request("Write it")
	blocked := v.untilEvent(named(contracts.EventTaskBlocked))
	if !strings.Contains(blocked.Reason, "is used up") {
		t.Errorf("%+v", blocked)
	}
}
