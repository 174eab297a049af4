package crew

import (
	"context"
	"fmt"
	"sync"

	"github.com/bullpen-office/bullpen/activity"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/staff"
)

// Accounts are the office's own sums. They are what budgets are held against, so
// a restart forgets nothing.
type Accounts interface {
	// Spent says what a task, its person today and the whole crew today have used,
	// as far as it was recorded.
	Spent(ctx context.Context, agentID, taskID string) Spent
}

// Spent is what was used so far, by the budget that it counts against.
type Spent struct {
	Task     contracts.UsageTotal
	AgentDay contracts.UsageTotal
	Day      contracts.UsageTotal
}

// overBudget says which budget is used up and how to go on.
type overBudget struct{ reason string }

func (e *overBudget) Error() string { return e.reason }

// meter holds what running turns have used and nobody has recorded yet.
type meter struct {
	mu   sync.Mutex
	used map[*turn]contracts.Usage
}

// set replaces what a turn has used so far.
func (m *meter) set(t *turn, u contracts.Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.used == nil {
		m.used = map[*turn]contracts.Usage{}
	}
	m.used[t] = u
}

// take gives a turn's usage away to be recorded: from then on the office counts it.
func (m *meter) take(t *turn) (contracts.Usage, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	u, ok := m.used[t]
	delete(m.used, t)
	return u, ok
}

// add counts what runs now.
func (m *meter) add(s *Spent, agentID, taskID string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for t, u := range m.used {
		s.Day.Add(u)
		if t.work.AgentID == agentID {
			s.AgentDay.Add(u)
		}
		if taskID != "" && t.work.Task != nil && t.work.Task.Task.TaskID == taskID {
			s.Task.Add(u)
		}
	}
}

// Afford says whether a turn may begin or go on: nil, or an error that names the
// budget that is used up. More is what the caller has used and not recorded yet,
// outside of the crew's own turns.
func (c *Crew) Afford(ctx context.Context, agentID, taskID string, more contracts.Usage) error {
	if c.Budgets == (staff.Budgets{}) {
		return nil
	}
	var s Spent
	if c.Accounts != nil {
		s = c.Accounts.Spent(ctx, agentID, taskID)
	}
	c.meter.add(&s, agentID, taskID)
	for _, total := range []*contracts.UsageTotal{&s.Task, &s.AgentDay, &s.Day} {
		total.Add(more)
	}
	if reason := c.Budgets.Task.Exceeded(s.Task); taskID != "" && reason != "" {
		return usedUp("the budget of this task", reason, "budgets.task", "")
	}
	if reason := c.Budgets.AgentDay.Exceeded(s.AgentDay); reason != "" {
		return usedUp("the daily budget of "+agentID, reason, "budgets.agent_day", ", or wait for the next day (UTC)")
	}
	if reason := c.Budgets.Day.Exceeded(s.Day); reason != "" {
		return usedUp("the crew's budget for a day", reason, "budgets.day", ", or wait for the next day (UTC)")
	}
	return nil
}

func usedUp(what, amount, path, or string) error {
	return &overBudget{fmt.Sprintf("%s is used up: %s. Raise %s in bullpen.yaml and start the office again%s; then try again", what, amount, path, or)}
}

// affordable holds a turn against the budgets.
func (t *turn) affordable() error {
	taskID := ""
	if w := t.work.Task; w != nil {
		taskID = w.Task.TaskID
	}
	return t.crew.Afford(t.ctx, t.work.AgentID, taskID, contracts.Usage{})
}

// Used replaces what the turn has used so far and stops it when that is too much.
func (s *sink) Used(u contracts.Usage) {
	if s.Closed() {
		return
	}
	s.turn.pulse.touch()
	s.turn.crew.meter.set(s.turn, u)
	if err := s.turn.affordable(); err != nil {
		s.turn.log.Warn("a turn is stopped", "reason", err)
		s.turn.cancel(err)
	}
}

// settleUsage records what the turn used, once, whatever became of it.
func (t *turn) settleUsage(u contracts.Usage) {
	f := contracts.UsageSeen{Key: "crew/" + t.sink.ID(), AgentID: t.work.AgentID, TurnID: t.sink.ID(), Usage: u}
	if w := t.work.Task; w != nil {
		f.TaskID = w.Task.TaskID
	}
	err := activity.Insist(t.farewell, t.log, "the usage of a turn", func(ctx context.Context) error { return t.crew.Office.Record(ctx, f) })
	if err != nil {
		t.log.Warn("the usage of a turn was not recorded", "error", err)
	}
}
