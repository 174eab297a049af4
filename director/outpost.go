package director

import (
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// fromOutpost returns the fact to record for a fact that an outpost reports, or a refusal. An
// outpost may report only the kinds of facts that adapters report, and only about its own agents.
// Facts from other nodes are returned unchanged.
func (a *act) fromOutpost(fact contracts.Fact) (contracts.Fact, *contracts.Refusal) {
	name, ok := contracts.OutpostOf(a.now.Node)
	if !ok {
		return fact, nil
	}
	switch f := fact.(type) {
	case contracts.AgentSeen:
		return a.seenByOutpost(f, name)
	case contracts.HUDSeen:
		f.HUD.Owner, f.HUD.Origin, f.HUD.TaskID = "", "", "" // only work that the office runs has these fields
		return f, a.outpostRefusal(f.HUD.AgentID, name)
	case contracts.StatusSeen:
		return f, a.outpostRefusal(f.Status.AgentID, name)
	case contracts.AgentGone:
		return f, a.outpostRefusal(f.AgentID, name)
	case contracts.UsageSeen:
		return a.usedAtOutpost(f, name)
	case contracts.AskSeen:
		if f.Permission != nil { // people must see on which machine they allow a call
			permission := *f.Permission
			permission.Place = outpostPlace(name, permission.Place)
			f.Permission = &permission
		}
		return f, a.outpostRefusal(f.AgentID, name)
	case contracts.AskWithdrawn:
		if d := a.w.Decision(f.DecisionID); d != nil {
			return f, a.outpostRefusal(d.AskedBy, name)
		}
		return f, nil // an unknown decision is refused later
	}
	return fact, contracts.Refuse(contracts.CodeNotAllowed, "an outpost may not report %s", fact.FactName())
}

// seenByOutpost records in an agent's profile which outpost reported the agent.
func (a *act) seenByOutpost(f contracts.AgentSeen, name string) (contracts.Fact, *contracts.Refusal) {
	p := &f.Profile
	p.Outpost, p.Node, p.Place = name, "", outpostPlace(name, p.Place)
	if p.Repo != "" {
		p.Repo = outpostPlace(name, p.Repo)
	}
	if p.ParentID != "" {
		if refusal := a.outpostRefusal(p.ParentID, name); refusal != nil {
			return f, refusal
		}
	}
	return f, a.outpostRefusal(p.AgentID, name)
}

// usedAtOutpost checks a usage report from an outpost: it must be about one of the outpost's agents
// in the office. The usage is never counted for a task. If the reported turn is open only for
// another agent, the usage is not counted for that turn.
func (a *act) usedAtOutpost(f contracts.UsageSeen, name string) (contracts.Fact, *contracts.Refusal) {
	if refusal := a.outpostRefusal(f.AgentID, name); refusal != nil {
		return f, refusal
	}
	if a.w.Agent(f.AgentID) == nil {
		return f, a.noAgent(f.AgentID)
	}
	f.TaskID = ""
	open := func(own bool) bool {
		return slices.ContainsFunc(a.w.Turns(), func(t *world.Turn) bool { return t.ID == f.TurnID && own == (t.AgentID == f.AgentID) })
	}
	if open(false) && !open(true) {
		f.TurnID = ""
	}
	return f, nil
}

// outpostPlace returns a place prefixed with its outpost's name.
func outpostPlace(name, place string) string {
	if strings.HasPrefix(place, name+":") {
		return place
	}
	return strings.TrimSuffix(name+":"+place, ":")
}

// outpostRefusal returns a refusal if the agent is in the office and does not belong to the named
// outpost.
func (a *act) outpostRefusal(agentID, name string) *contracts.Refusal {
	if agentID == "" {
		return contracts.RefuseField("agent_id", "a fact from outpost %s must name one of its agents", name)
	}
	if ag := a.w.Agent(agentID); ag != nil && ag.Outpost != name {
		return contracts.Refuse(contracts.CodeNotAllowed, "%s is not an agent of outpost %s", agentID, name)
	}
	return nil
}
