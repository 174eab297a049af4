package world

import (
	"errors"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

func (w *World) foldStatus(e *contracts.Event) error {
	if e.Status == nil {
		return errors.New("agent_status has no status")
	}
	a, err := find(w.agents, e.Status.AgentID)
	if err != nil {
		return err
	}
	if a.Guest() {
		a.Status, a.StatusLine = e.Status, e.Status.Line
		return nil
	}
	if a.Status = e.Status; e.Status.Activity == contracts.ActivityIdle {
		a.Status = nil
	}
	return nil
}

func (w *World) foldAgentLeft(e *contracts.Event) error {
	if _, err := find(w.agents, e.AgentID); err != nil {
		return err
	}
	w.s.Agents = slices.DeleteFunc(w.s.Agents, func(a *Agent) bool { return a.AgentID == e.AgentID })
	delete(w.agents, e.AgentID)
	w.dropTurns(e.AgentID)
	return nil
}

// foldControl starts a new session for an agent, or moves an agent's messages to another agent.
func (w *World) foldControl(e *contracts.Event) error {
	a, err := find(w.agents, e.AgentID)
	if err != nil {
		return err
	}
	if e.Name == contracts.EventAgentReset {
		a.Sessions++
		a.Impacts = Impacts{}
		return nil
	}
	for i := range w.s.PendingChats {
		if c := &w.s.PendingChats[i].Chat; c.To == e.FromAgentID {
			c.To = e.AgentID
		}
	}
	return nil
}

// Guests returns the agents that run outside the office.
func (w *World) Guests() []*Agent {
	var out []*Agent
	for _, a := range w.s.Agents {
		if a.Guest() {
			out = append(out, a)
		}
	}
	return out
}

// Active reports whether a guest is working or waiting for a person.
func (a *Agent) Active() bool {
	return a.Status != nil && (a.Status.Activity == contracts.ActivityWorking || a.Status.Activity == contracts.ActivityWaiting)
}

// Asks reports whether an agent has an open question, either about its task or outside any project.
func (w *World) Asks(a *Agent) bool {
	return a.TaskID != "" && w.OpenDecision(a.TaskID) != nil || w.OpenAsk(a.AgentID) != nil
}

// OpenAsk returns an agent's oldest open question that belongs to no project, or nil if there is none.
func (w *World) OpenAsk(agentID string) *contracts.Decision {
	for _, d := range w.s.Decisions {
		if d.ProjectID == "" && d.AskedBy == agentID && d.Asks() {
			return d
		}
	}
	return nil
}

// TurnAsks returns a turn's open questions, oldest first.
func (w *World) TurnAsks(agentID, turnID string) (open []*contracts.Decision) {
	for _, d := range w.s.Decisions {
		if turnID != "" && d.TurnID == turnID && d.AskedBy == agentID && d.Status == contracts.DecisionOpen {
			open = append(open, d)
		}
	}
	return open
}

// CountOpenAsks returns the number of open questions from outside, and how many of them the given
// agent asked.
func (w *World) CountOpenAsks(agentID string) (all, own int) {
	for _, d := range w.s.Decisions {
		if d.ProjectID == "" && d.Asks() {
			all++
			if d.AskedBy == agentID {
				own++
			}
		}
	}
	return all, own
}

// forgetClosedAsks drops all closed questions that belong to no project, except the newest
// LimitClosedAsks. The ledger still contains them.
func (w *World) forgetClosedAsks() {
	closed := 0
	for i := len(w.s.Decisions) - 1; i >= 0; i-- {
		d := w.s.Decisions[i]
		if d.ProjectID != "" || d.Status == contracts.DecisionOpen {
			continue
		}
		if closed++; closed > contracts.LimitClosedAsks {
			delete(w.decisions, d.DecisionID)
			w.s.Decisions = slices.Delete(w.s.Decisions, i, i+1)
		}
	}
}
