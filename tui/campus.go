package tui

import (
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// onCampus reports whether there is more to show than the house.
func (a *app) onCampus() bool { return len(a.office.Parts()) > 1 }

// shownPart returns the index of the part on the floor map: the part that the followed agent is in,
// or else the selected part, or the house if the selected part was closed.
func (a *app) shownPart(parts []model.Part) int {
	if p := a.office.Rows().Agent(a.follow); p != nil {
		return model.PartAt(parts, a.office.Where(p).Pos)
	}
	return max(0, slices.IndexFunc(parts, func(p model.Part) bool { return p.ID == a.part }))
}

// sync shows the part that the selected agent is in, if another agent has been selected since the
// map was last drawn.
func (s *officeScreen) sync() {
	a := s.app
	if a.selected == s.seen {
		return
	}
	s.seen = a.selected
	if p := a.office.Rows().Agent(a.selected); p != nil {
		a.part = a.partOf(p).ID
	}
}

// partOf returns the part that an agent is in: by its position or, if the agent is offline, by its
// room.
func (a *app) partOf(p *contracts.Agent) model.Part {
	parts := a.office.Parts()
	switch {
	case len(parts) == 0:
		return model.Part{}
	case model.Away(p):
		return parts[max(0, slices.IndexFunc(parts, func(part model.Part) bool { return part.ID == p.RoomID }))]
	}
	return parts[model.PartAt(parts, a.office.Where(p).Pos)]
}

// elsewhere returns text that describes where an agent is, or "" if the agent is in the part of the
// campus that the map shows.
func (a *app) elsewhere(p *contracts.Agent) string {
	parts := a.office.Parts()
	if in := a.partOf(p); len(parts) > 0 && in.ID != parts[a.shownPart(parts)].ID {
		return " in " + model.Line(in.Label)
	}
	return ""
}

// showPart shows a part of the campus on the floor map, and stops following the agent.
func (a *app) showPart(id string) {
	a.part, a.follow = id, ""
	a.goTab(tabOffice)
}

// switchPart shows the next part of the campus, or the previous one if by is negative.
func (a *app) switchPart(by int) {
	parts := a.office.Parts()
	a.showPart(parts[(a.shownPart(parts)+by+len(parts))%len(parts)].ID)
}

// nextAsking selects the next agent that is waiting for a person, in any room. The space bar then
// opens the agent's card.
func (a *app) nextAsking() {
	rows := a.office.Rows()
	needs := slices.DeleteFunc(rows.Needs(), func(n model.Need) bool { return rows.Agent(n.AgentID) == nil || a.sent[n.Ref] })
	if len(needs) == 0 {
		a.toast(contracts.SayNothingNeedsYou, tonePlain)
		return
	}
	first := func(id string) int {
		return slices.IndexFunc(needs, func(n model.Need) bool { return n.AgentID == id })
	}
	needs = slices.DeleteFunc(slices.Clone(needs), func(n model.Need) bool { return needs[first(n.AgentID)].Ref != n.Ref })
	n := needs[(first(a.selected)+1)%len(needs)]
	a.selected, a.follow = n.AgentID, ""
	a.needsScreen().selectRef(n.Ref)
}

// roll returns the agents listed next to the floor map, most interesting first: the agents that
// belong to the part on the map, and visitors to that part who are not walking.
func (a *app) roll() []contracts.Agent {
	list := a.office.Rows().Roll()
	parts := a.office.Parts()
	if len(parts) < 2 {
		return list
	}
	shown := a.shownPart(parts)
	return slices.DeleteFunc(list, func(p contracts.Agent) bool {
		if p.RoomID == parts[shown].ID {
			return false
		}
		at := a.office.Where(&p)
		return model.Away(&p) || at.Moving || model.PartAt(parts, at.Pos) != shown
	})
}
