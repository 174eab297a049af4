package view

import (
	"context"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// Profile returns the profile of an agent; ok is false if it is not in the office now.
func (v *View) Profile(id string) (p contracts.AgentProfile, ok bool) {
	v.Look(func(w *world.World) {
		if a := w.Agent(id); a != nil {
			p, ok = a.AgentProfile, true
		}
	})
	return p, ok
}

// Person returns the profile of an agent; if the agent is unknown, the id serves as its name.
func (v *View) Person(id string) contracts.AgentProfile {
	if p, ok := v.Profile(id); ok {
		return p
	}
	return contracts.AgentProfile{AgentID: id, Name: id}
}

// OfCrew reports whether an agent belongs to the crew.
func (v *View) OfCrew(id string) bool {
	p, ok := v.Profile(id)
	return ok && !p.Guest()
}

// Crew returns the ids of the crew.
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

// Guests counts the guests by their source.
func (v *View) Guests() map[string]int {
	count := map[string]int{}
	v.Look(func(w *world.World) {
		for _, a := range w.Guests() {
			count[a.Source]++
		}
	})
	return count
}

// Sessions returns the number of a crew member's newest session, 0 for others.
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

// Opened returns the turns and calls of a source on this node that have not ended.
func (v *View) Opened(source string) (open []contracts.Opened) {
	v.Look(func(w *world.World) { open = w.Open(contracts.WatchID(source, v.node)) })
	return open
}

// Begun returns the start records of turns and calls that started up to a seq and have not
// ended, oldest first. Retention keeps them.
func (v *View) Begun(ctx context.Context, upTo uint64) (starts []contracts.Record, err error) {
	var held []uint64
	v.Look(func(w *world.World) { held = w.Holds() })
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

// Of returns the agents of a source, and their open questions.
func (v *View) Of(source string) (agents []contracts.Agent, asked []contracts.Decision) {
	state := v.State()
	for _, a := range state.Agents {
		if a.Source == source {
			agents = append(agents, a)
		}
	}
	for _, d := range state.Decisions {
		if d.Status == contracts.DecisionOpen && slices.ContainsFunc(agents, func(a contracts.Agent) bool { return a.AgentID == d.AskedBy }) {
			asked = append(asked, d)
		}
	}
	return agents, asked
}

// Unended counts the open turns, and the start records that retention keeps because their turn or
// call has not ended.
func (v *View) Unended() (turns, held int) {
	v.Look(func(w *world.World) { turns, held = len(w.Turns()), len(w.Holds()) })
	return turns, held
}
