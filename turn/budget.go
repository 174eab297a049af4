package turn

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/staff"
)

// Accounts are the office's own sums. They are what budgets are held against, so a
// restart forgets nothing.
type Accounts interface {
	// Spent says what a task, its agent today and all agents that budgets hold for
	// today have used, as far as it was recorded.
	Spent(ctx context.Context, agentID, taskID string) Spent
}

// Spent is what was used so far, by the budget that it counts against.
type Spent struct {
	Task     contracts.UsageTotal
	AgentDay contracts.UsageTotal
	Day      contracts.UsageTotal
}

// meter knows the turns whose usage is not recorded yet.
type meter struct {
	mu    sync.Mutex
	turns map[*recorder]bool
}

// add counts a turn from its start on.
func (m *meter) add(r *recorder) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.turns == nil {
		m.turns = map[*recorder]bool{}
	}
	m.turns[r] = true
}

// remove gives a turn's usage away to be recorded: from then on the office counts it.
func (m *meter) remove(r *recorder) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.turns, r)
}

// count adds what the running turns have used.
func (m *meter) count(s *Spent, agentID, taskID string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for r := range m.turns {
		u := r.total()
		s.Day.Add(u)
		if r.route.AgentID == agentID {
			s.AgentDay.Add(u)
		}
		if taskID != "" && r.turn.request.TaskID == taskID {
			s.Task.Add(u)
		}
	}
}

// Afford says whether a turn may begin or go on: nil, or an error that names the budget
// that is used up.
func (e *Engine) Afford(ctx context.Context, agentID, taskID string) error {
	b := e.cfg.Budgets
	if b == (staff.Budgets{}) {
		return nil
	}
	var s Spent
	if e.cfg.Accounts != nil {
		s = e.cfg.Accounts.Spent(ctx, agentID, taskID)
	}
	e.meter.count(&s, agentID, taskID)
	if reason := b.Task.Exceeded(s.Task); taskID != "" && reason != "" {
		return usedUp("the budget of this task", reason, "budgets.task", "")
	}
	if reason := b.AgentDay.Exceeded(s.AgentDay); reason != "" {
		return usedUp("the daily budget of "+agentID, reason, "budgets.agent_day", ", or wait for the next day (UTC)")
	}
	if reason := b.Day.Exceeded(s.Day); reason != "" {
		return usedUp("the crew's budget for a day", reason, "budgets.day", ", or wait for the next day (UTC)")
	}
	return nil
}

// ErrBudget says that a budget is used up.
var ErrBudget = errors.New("is used up")

func usedUp(what, amount, path, or string) error {
	return fmt.Errorf("%s %w: %s. Raise %s in bullpen.yaml and start the office again%s; then try again", what, ErrBudget, amount, path, or)
}
