package view

import (
	"maps"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// Outpost returns the state that an outpost needs to continue its work.
func (v *View) Outpost(name string) contracts.OutpostState {
	out := contracts.OutpostState{Outpost: name, Begun: map[string][]contracts.Opened{}}
	node := contracts.OutpostNode(name)
	v.Look(func(w *world.World) {
		out.Seq = w.Seq()
		for _, o := range w.Owners() {
			if o.Node == node && o.Up && contracts.IsLife(o.ID) {
				out.Life = o.ID
			}
			if source, ok := contracts.WatchSource(o.ID, node); ok {
				out.Begun[source] = w.Open(o.ID)
			}
		}
	})
	state := v.State()
	own := map[string]bool{}
	for _, a := range state.Agents {
		if a.Outpost != name {
			out.Names = append(out.Names, a.Name)
			continue
		}
		own[a.AgentID] = true
		out.Agents = append(out.Agents, a)
	}
	for _, d := range state.Decisions {
		if d.Asks() && own[d.AskedBy] {
			out.Decisions = append(out.Decisions, d)
		}
	}
	return out
}

// Outposts returns the names of the outposts that are up or have agents in the office.
func (v *View) Outposts() []string {
	names := map[string]bool{}
	v.Look(func(w *world.World) {
		for _, o := range w.Owners() {
			if name, ok := contracts.OutpostOf(o.Node); ok && o.Up && contracts.IsLife(o.ID) {
				names[name] = true
			}
		}
		for _, a := range w.Guests() {
			if a.Outpost != "" {
				names[a.Outpost] = true
			}
		}
	})
	return slices.Sorted(maps.Keys(names))
}

// OutpostAgents returns the number of an outpost's agents that are in the office.
func (v *View) OutpostAgents(name string) (count int) {
	v.Peek(func(w *world.World) {
		for _, a := range w.Guests() {
			if a.Outpost == name {
				count++
			}
		}
	})
	return count
}

// recorded returns the recorded status of a guest; ok is false if there is none.
func (v *View) recorded(agentID string) (s contracts.AgentStatus, ok bool) {
	v.Look(func(w *world.World) {
		if a := w.Agent(agentID); a != nil && a.Status != nil {
			s, ok = *a.Status, true
		}
	})
	return s, ok
}
