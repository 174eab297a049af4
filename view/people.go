package view

import (
	"context"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// Profile returns an agent's profile; ok is false if the agent is not in the office now.
func (v *View) Profile(id string) (p contracts.AgentProfile, ok bool) {
	v.Look(func(w *world.World) {
		if a := w.Agent(id); a != nil {
			p, ok = a.AgentProfile, true
		}
	})
	return p, ok
}

// ProfileOrID returns an agent's profile or, for an unknown agent, a profile with the id as its
// name.
func (v *View) ProfileOrID(id string) contracts.AgentProfile {
	if p, ok := v.Profile(id); ok {
		return p
	}
	return contracts.AgentProfile{AgentID: id, Name: id}
}

// OfCrew reports whether an agent is a crew member who is in the office.
func (v *View) OfCrew(id string) bool {
	p, ok := v.Profile(id)
	return ok && !p.Guest()
}

// Crew returns the ids of all crew members.
func (v *View) Crew() (ids []string) {
	v.Look(func(w *world.World) {
		for _, a := range w.Agents() {
			if !a.Guest() {
				ids = append(ids, a.AgentID)
			}
		}
	})
	return ids
}

// Guests returns the number of guests for each source, not counting the guests of outposts.
func (v *View) Guests() map[string]int {
	count := map[string]int{}
	v.Look(func(w *world.World) {
		for _, a := range w.Guests() {
			if a.Outpost == "" {
				count[a.Source]++
			}
		}
	})
	return count
}

// Sessions returns the number of times that a crew member's session has been restarted, or 0 for
// other agents.
func (v *View) Sessions(id string) (number int) {
	v.Look(func(w *world.World) {
		if a := w.Agent(id); a != nil && !a.Guest() {
			number = a.Sessions
		}
	})
	return number
}

// Summary returns a short overview of the projects.
func (v *View) Summary() (out contracts.OfficeSummary) {
	v.Look(func(w *world.World) { out = w.Summary() })
	return out
}

// Opened returns the start facts of a source's open turns and calls on this node.
func (v *View) Opened(source string) (open []contracts.Opened) {
	v.Look(func(w *world.World) { open = w.Open(contracts.WatchID(source, v.node)) })
	return open
}

// OpenStarts returns the start records of the turns and calls that started at or before upTo and
// are still open, oldest first. Retention keeps these records.
func (v *View) OpenStarts(ctx context.Context, upTo uint64) (starts []contracts.Record, err error) {
	var held []uint64
	v.Look(func(w *world.World) { held = w.StartSeqs() })
	for _, seq := range held {
		if seq > upTo {
			break
		}
		page, err := v.ledger.Read(ctx, seq-1, 1)
		if err != nil {
			return nil, err
		}
		if len(page) > 0 && page[0].Seq == seq {
			starts = append(starts, page[0])
		}
	}
	return starts, nil
}

// elsewhere reports whether another node watches a guest. An office without nodes watches all
// guests, including those that have a node because the ledger was moved from an office with nodes.
func (v *View) elsewhere(a *contracts.AgentProfile) bool {
	return v.shared && a.Node != "" && a.Node != v.node
}

// AgentsOf returns the agents from a source that are watched by this node, and their open
// questions.
func (v *View) AgentsOf(source string) (agents []contracts.Agent, asked []contracts.Decision) {
	state := v.State()
	for _, a := range state.Agents {
		if a.Source == source && a.Outpost == "" && !v.elsewhere(&a.AgentProfile) {
			agents = append(agents, a)
		}
	}
	for _, d := range state.Decisions {
		if d.Asks() && slices.ContainsFunc(agents, func(a contracts.Agent) bool { return a.AgentID == d.AskedBy }) {
			asked = append(asked, d)
		}
	}
	return agents, asked
}

// Unended returns the number of open turns, and the number of start records that retention keeps
// because their turn or call is still open.
func (v *View) Unended() (turns, held int) {
	v.Look(func(w *world.World) { turns, held = len(w.Turns()), len(w.StartSeqs()) })
	return turns, held
}
