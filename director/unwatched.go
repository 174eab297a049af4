package director

import (
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/world"
)

// watchedGuest returns a guest that the reporting node may judge, or a refusal. A guest that has
// moved to another node is judged by that node only.
func (a *act) watchedGuest(id string) (*world.Agent, *contracts.Refusal) {
	ag, refusal := a.guest(id)
	if refusal != nil || ag.Node == "" || ag.Node == a.now.Node {
		return ag, refusal
	}
	refusal = contracts.Refuse(contracts.CodeConflict, "%s is watched by node %s; node %s can watch it once the agent reports to that node", id, ag.Node, a.now.Node)
	refusal.Field = contracts.FieldNode
	return nil, refusal
}

// stepUnwatched marks guests as offline if their node is gone, and lets them leave like other
// offline guests. It handles all guests in one step and reports whether there were any.
func (a *act) stepUnwatched() bool {
	due := matching(a.w.Agents(), func(ag *world.Agent) bool {
		at, ok := unwatchedEnds(ag)
		return ok && at <= a.now.MS
	})
	for _, ag := range due {
		if offline(ag) {
			a.removeGuest(ag, "It has been offline for "+status.FormatDuration(ag.LeavesAfter())+".")
		} else {
			a.markNodeGone(ag)
		}
	}
	return len(due) > 0
}

// unwatchedEnds returns when the next change is due for a guest whose node is gone: the guest goes
// offline, and a guest that is already offline leaves. ok is false for other agents.
func unwatchedEnds(ag *world.Agent) (at int64, ok bool) {
	at = ag.UnwatchedSince + contracts.NodeGrace.Milliseconds()
	if offline(ag) {
		at = max(at, ag.Status.Since+ag.LeavesAfter().Milliseconds())
	}
	return at, ag.UnwatchedSince != 0
}

func offline(ag *world.Agent) bool {
	return ag.Status != nil && ag.Status.Activity == contracts.ActivityOffline
}

// markNodeGone marks a guest as offline because its node is gone.
func (a *act) markNodeGone(ag *world.Agent) {
	says := "node " + ag.Node + " is gone"
	s := &contracts.AgentStatus{
		AgentID: ag.AgentID, Activity: contracts.ActivityOffline, Line: ag.StatusLine, Why: "Offline: " + says + " (office)", Authority: contracts.FromOffice, Since: a.now.MS,
		Evidence: []contracts.Evidence{{Source: contracts.FromOffice, Says: says, At: a.now.MS}},
	}
	if ag.Status != nil {
		s.Said = ag.Status.Said
	}
	a.emit(&contracts.Event{Name: contracts.EventAgentStatus, AgentID: ag.AgentID, Status: s})
}
