//go:build unix

package server

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/staff"
)

// endless is a model that exceeds every budget of this test after ten answers. Then it waits to be
// stopped, up to a time limit.
type endless struct{ stopped atomic.Pointer[chan struct{}] }

// begin starts the next turn and returns the function to call when that turn has been stopped.
func (m *endless) begin() (stopped func()) {
	done := make(chan struct{})
	m.stopped.Store(&done)
	return func() { close(done) }
}

func (m *endless) answer(prompt string, step int) []drivetest.Block {
	if strings.Contains(prompt, `"tasks"`) {
		return oneTask
	}
	if step < 10 {
		return []drivetest.Block{{Tool: "Glob", Input: map[string]string{"pattern": "*.txt"}}}
	}
	select {
	case <-*m.stopped.Load():
	case <-time.After(testTimeout):
	}
	return handedOver(`{"artifacts":[{"content":"at last"}]}`)
}

// C3: a program's turn that exceeds a budget is stopped while it runs, for callers of the
// bridge and for the crew, and its usage is recorded.
func TestBudgetStopsAProgramInMidTurn(t *testing.T) {
	model := &endless{}
	runner := claudeRunner(t, model.answer)
	r := startRig(t, Config{DataDir: t.TempDir(), Crew: "claude", Now: atNoon(), Staff: staff.Staff{Runners: map[string]staff.Runner{"claude": runner}, Budgets: staff.Budgets{AgentDay: staff.Budget{Tokens: 900}}}})
	stopped := model.begin()
	status, body := r.post("/v1/chat/completions", `{"model":"bullpen/agent_eng_1","messages":[{"role":"user","content":"Look around"}]}`)
	stopped()
	if !strings.Contains(body, "daily budget of agent_eng_1 exhausted") || !strings.Contains(body, "budgets.agent_day") {
		t.Errorf("%d %s", status, body)
	}
	r.untilTrue("the usage of the stopped turn is recorded", func() bool {
		_, day, _ := r.view.Spent("agent_eng_1", "")
		return day.TokensIn+day.TokensOut >= 900
	})

	stopped = model.begin()
	v := r.dial(r.cfg.ownerToken(t))
	v.request("Write it")
	blocked := v.untilEvent(func(e contracts.Event) bool {
		return e.Name == contracts.EventTaskBlocked || e.Name == contracts.EventArtifactCreated
	})
	stopped()
	if !strings.Contains(blocked.Reason, "exhausted") {
		t.Errorf("%+v", blocked)
	}
}
