package director

import (
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// stepOutside directs an agent without a task: the agent answers a message or an outside caller
// where it is, goes to a person if it needs one, and otherwise goes home. It reports whether
// anything changed.
func (a *act) stepOutside(ag *world.Agent) bool {
	g := &ag.Goal
	switch a.shownActivity(ag) {
	case contracts.ActivityWaiting:
		if awaits(g) {
			return false
		}
		a.seekPerson(ag, "", a.waitReason(ag))
	case contracts.ActivityWorking:
		if g.State == contracts.StateWorking {
			return false
		}
		a.halt(ag, intent{kind: contracts.GoalWork, state: contracts.StateWorking, why: a.workReason(ag)})
	default:
		if g.Goal.Kind == contracts.GoalIdle || g.Goal.Kind == contracts.GoalGoHome || a.celebrates(ag) {
			return false
		}
		a.sendHome(ag)
	}
	return true
}

// workReason returns the reason to show for a crew member that is working without a task.
func (a *act) workReason(ag *world.Agent) string {
	if ag.Status != nil {
		return ag.Status.Why
	}
	return fmt.Sprintf("Answering “%s”.", contracts.Clip(contracts.CleanLine(a.w.PendingChats(ag.AgentID)[0].Chat.Text), contracts.LimitPreview))
}

// waitsOutside reports whether an agent without a task is on its way to a person whose help it
// still needs.
func (a *act) waitsOutside(ag *world.Agent) bool {
	return seeks(&ag.Goal) && a.shownActivity(ag) == contracts.ActivityWaiting
}
