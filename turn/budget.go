package turn

import (
	"fmt"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/staff"
)

// Accounts are the office's own sums. They are what budgets are held against, so a
// restart forgets nothing.
type Accounts interface {
	// Spent is the recorded usage of a task, of its agent today, and of all agents that
	// budgets apply to today.
	Spent(agentID, taskID string) (task, agentDay, day contracts.UsageTotal)
}

// spent is usage so far, by the budget that it counts against.
type spent struct{ task, agentDay, day contracts.UsageTotal }

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

// afford reports whether a turn may begin or continue: the error names the budget that is
// used up.
func (e *Engine) afford(agentID, taskID string) error {
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
