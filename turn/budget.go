package turn

import (
	"fmt"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/staff"
)

// Accounts returns recorded usage. Budgets are checked against recorded usage, so a restart does
// not reset them.
type Accounts interface {
	// Spent returns the recorded usage of a task, and today's recorded usage of an agent and of
	// all agents that have a budget.
	Spent(agentID, taskID string) (task, agentDay, day contracts.UsageTotal)
}

// spent is the current usage, per budget.
type spent struct{ task, agentDay, day contracts.UsageTotal }

// meter tracks the running turns, because their usage is not recorded yet.
type meter struct {
	mu    sync.Mutex
	turns map[*recorder]bool
}

// add starts counting a turn.
func (m *meter) add(r *recorder) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.turns == nil {
		m.turns = map[*recorder]bool{}
	}
	m.turns[r] = true
}

// remove stops counting a turn, because its usage is about to be recorded.
func (m *meter) remove(r *recorder) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.turns, r)
}

// count adds the running turns' usage to s: to the day's total, and to the totals of agentID and
// taskID.
func (m *meter) count(s *spent, agentID, taskID string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for r := range m.turns {
		u := r.total()
		s.day.Add(u)
		if r.route.AgentID == agentID {
			s.agentDay.Add(u)
		}
		if taskID != "" && r.turn.request.TaskID == taskID {
			s.task.Add(u)
		}
	}
}

// checkBudget returns nil if a turn may start or continue, and otherwise an error that names the
// exhausted budget.
func (e *Engine) checkBudget(agentID, taskID string) error {
	b := e.cfg.Budgets
	if b == (staff.Budgets{}) {
		return nil
	}
	var s spent
	if e.cfg.Accounts != nil {
		s.task, s.agentDay, s.day = e.cfg.Accounts.Spent(agentID, taskID)
	}
	e.meter.count(&s, agentID, taskID)
	if reason := b.Task.Exceeded(s.task); taskID != "" && reason != "" {
		return usedUp("task budget", reason, "budgets.task", "")
	}
	if reason := b.AgentDay.Exceeded(s.agentDay); reason != "" {
		return usedUp("daily budget of "+agentID, reason, "budgets.agent_day", ", or wait until midnight UTC")
	}
	if reason := b.Day.Exceeded(s.day); reason != "" {
		return usedUp("daily budget of the crew", reason, "budgets.day", ", or wait until midnight UTC")
	}
	return nil
}

func usedUp(what, amount, path, or string) error {
	return fmt.Errorf("%s exhausted: %s; raise %s in bullpen.yaml and restart the office%s", what, amount, path, or)
}
