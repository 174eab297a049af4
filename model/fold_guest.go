package model

import (
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// This file is the counterpart of world/apply_guest.go and world/usage.go.

// foldStatus applies a guest's status. A crew member's status is part of its goal.
func (r *Rows) foldStatus(s *contracts.AgentStatus) {
	if s == nil {
		return
	}
	if a := r.Agent(s.AgentID); a != nil && a.Source != "" {
		a.Activity, a.Authority, a.Since, a.Why, a.StatusLine, a.Said = s.Activity, s.Authority, s.Since, s.Why, s.Line, s.Said
	}
}

func (r *Rows) foldUsage(e *contracts.Event, ts int64) {
	if e.Usage == nil {
		return
	}
	if a := r.Agent(e.AgentID); a != nil {
		a.Usage = plus(a.Usage, *e.Usage)
		if tokens, ok := e.Usage.Context(); ok {
			a.Context = tokens
		}
	}
	if t := r.Task(e.TaskID); t != nil {
		t.Usage = plus(t.Usage, *e.Usage)
	}
	r.Usage = officePlus(r.Usage, *e.Usage, ts)
}

func officePlus(before *contracts.OfficeUsage, u contracts.Usage, ts int64) *contracts.OfficeUsage {
	next := contracts.OfficeUsage{Day: time.UnixMilli(ts).UTC().Format(time.DateOnly)}
	if before == nil {
		next.Today, next.Lifetime = *plus(nil, u), *plus(nil, u)
		return &next
	}
	next.Lifetime = *plus(&before.Lifetime, u)
	switch {
	case next.Day < before.Day: // a late report from a previous day counts only towards the lifetime total
		next.Day, next.Today = before.Day, before.Today
	case next.Day == before.Day:
		next.Today = *plus(&before.Today, u)
	default:
		next.Today = *plus(nil, u)
	}
	return &next
}

// plus returns the sum of a total and one more report. It does not change the given total.
func plus(total *contracts.UsageTotal, u contracts.Usage) *contracts.UsageTotal {
	var sum contracts.UsageTotal
	if total != nil {
		sum = *total
	}
	sum.Add(u)
	return &sum
}

// foldGoal applies an agent's new goal.
func (r *Rows) foldGoal(g *contracts.AgentGoal) {
	a := r.Agent(g.AgentID)
	if a == nil {
		return
	}
	a.Goal = g.Goal
	if g.State != "" {
		a.State = g.State
	}
	// For guests, the status from the evidence takes precedence over the reason for a walk.
	if a.Activity == "" {
		a.Why = g.Why
	}
	a.TaskID = g.TaskID
	if g.TaskID == "" && a.Source == "" {
		a.StatusLine = ""
	}
	r.deriveNeeds()
}

// foldSnapshot applies a snapshot, which is authoritative. A delta changes only the rows that it
// contains or removes.
func (r *Rows) foldSnapshot(s *contracts.Snapshot) {
	if s.Mode != "delta" {
		sources := s.Sources
		if sources == nil {
			sources = olderSources()
		}
		fresh := Rows{s.Agents, s.Projects, s.Tasks, s.Artifacts, s.Decisions, s.OfficeDecor, s.Rooms, s.Repos, s.Players, s.Usage, sources}
		*r = fresh.clone()
		return
	}
	gone := map[string]bool{}
	for _, id := range s.Removed {
		gone[id] = true
	}
	r.Agents = change(r.Agents, s.Agents, gone, agentID)
	r.Projects = change(r.Projects, s.Projects, gone, projectID)
	r.Tasks = change(r.Tasks, s.Tasks, gone, taskID)
	r.Artifacts = change(r.Artifacts, s.Artifacts, gone, artifactID)
	r.Decisions = change(r.Decisions, s.Decisions, gone, decisionID)
	r.Decor = change(r.Decor, s.OfficeDecor, gone, decorID)
	r.Rooms = change(r.Rooms, s.Rooms, gone, roomID)
	if s.Repos != nil {
		r.Repos = slices.Clone(s.Repos)
	}
	r.Players = change(r.Players, s.Players, gone, playerID)
	if s.Usage != nil {
		r.Usage = s.Usage
	}
}

// olderSources returns the sources for an office that does not send any, so that a rehearsal is
// still marked as one.
func olderSources() contracts.Sources {
	return contracts.Sources{{Source: contracts.RunnerRehearsal, Label: "Rehearsal", Scripted: true}}
}

func change[T any](list, rows []T, gone map[string]bool, idOf func(*T) string) []T {
	kept := make([]T, 0, len(list)+len(rows))
	for i := range list {
		if !gone[idOf(&list[i])] {
			kept = append(kept, list[i])
		}
	}
	for _, row := range rows {
		kept = put(kept, row, idOf)
	}
	return kept
}
