package turn

import (
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// Used replaces the previously reported usage of this prompt, and stops the turn if a budget is
// exhausted.
func (r *recorder) Used(u contracts.Usage) {
	if r.Closed() {
		return
	}
	r.stall.touch()
	r.mu.Lock()
	r.used = u
	r.mu.Unlock()
	r.enforceBudget()
}

// addUsage adds the usage of a prompt to the turn, even if the prompt failed.
func (r *recorder) addUsage(u contracts.Usage) {
	r.mu.Lock()
	if u.Reported() {
		r.used = u
	}
	r.spent, r.used = drive.Sum(r.spent, r.used), contracts.Usage{}
	r.mu.Unlock()
	r.enforceBudget()
}

// total returns the current usage of the turn.
func (r *recorder) total() contracts.Usage {
	r.mu.Lock()
	defer r.mu.Unlock()
	return drive.Sum(r.spent, r.used)
}

func (r *recorder) enforceBudget() {
	if r.route.External {
		return
	}
	if err := r.engine.checkBudget(r.route.AgentID, r.turn.request.TaskID); err != nil {
		r.log.Warn("stopping turn", "reason", err)
		r.turn.cancel(err)
	}
}

// recordUsage records the turn's usage once, regardless of how the turn ended.
func (r *recorder) recordUsage(u contracts.Usage) {
	f := contracts.UsageSeen{Key: "turn/" + r.ID(), AgentID: r.route.AgentID, TaskID: r.turn.request.TaskID, TurnID: r.ID(), Usage: u}
	_ = r.recordFacts("turn usage", f)
}
