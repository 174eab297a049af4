package director

import (
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// Advance executes every step that is due now or follows from the state of the world: arrivals,
// automatic assignments, completions, the closing of rooms and so on. It returns the records of
// these steps. Nothing more is due before Deadline.
func (d *Director) Advance(w *world.World, now Now) ([]contracts.Record, error) {
	a := d.act(w, now)
	recs, _, err := a.collect(func() *contracts.Refusal {
		for range contracts.LimitReactions {
			if !a.step() {
				return nil
			}
		}
		panic(broken{fmt.Errorf("more than %d follow-up records at seq %d: the rules do not terminate", contracts.LimitReactions, w.Seq())})
	})
	return recs, err
}

// step executes the first step that is due and reports whether there was one.
func (a *act) step() bool {
	return a.stepTurns() || a.stepUnwatched() || a.stepCallers() || a.stepArrival() || a.stepMeeting() || a.stepExpiry() || a.stepAgents() || a.stepStage() || a.stepGuests() || a.stepUnchecked() || a.stepProjects() || a.stepRooms()
}

// stepArrival handles the earliest arrival that is due and reports whether there was one.
func (a *act) stepArrival() bool {
	var first *world.Agent
	var due int64
	for _, ag := range a.w.Agents() {
		if at, ok := a.w.ArrivesAt(ag); ok && at <= a.now.MS && (first == nil || at < due) {
			first, due = ag, at
		}
	}
	if first == nil {
		return false
	}
	a.arrive(first)
	return true
}

// arrive starts the activity that the agent has come for: working, meeting, delivering, waiting or
// idling.
func (a *act) arrive(ag *world.Agent) {
	t := a.w.Task(ag.TaskID)
	switch {
	case ag.Guest():
		a.arriveGuest(ag)
	case a.w.InMeeting(ag.AgentID):
		a.stay(ag, intent{kind: contracts.GoalMeet, state: contracts.StateMeeting, why: ag.Goal.Why})
	case t == nil && a.waitsOutside(ag):
		a.stay(ag, intent{kind: contracts.GoalWaitForUser, state: contracts.StateWaiting, why: ag.Goal.Why})
	case a.celebrates(ag):
		a.stay(ag, intent{kind: contracts.GoalIdle, state: contracts.StateIdle, why: ag.Goal.Why})
	case t == nil && ag.Goal.Goal.Kind != contracts.GoalGoHome:
		a.sendHome(ag) // the reason for the walk is gone, or the agent has just delivered
	case t == nil:
		a.stay(ag, intent{kind: contracts.GoalIdle, state: contracts.StateIdle, why: "Free."})
	case ag.Goal.Goal.Kind == contracts.GoalDeliver:
		a.deliver(t, ag)
	case a.w.OpenDecision(t.TaskID) != nil:
		a.stay(ag, intent{kind: contracts.GoalWaitForUser, state: contracts.StateWaiting, taskID: t.TaskID, why: ag.Goal.Why})
	case a.w.Project(t.ProjectID).Paused:
		a.stay(ag, intent{kind: contracts.GoalWork, state: contracts.StateWaiting, taskID: t.TaskID, why: "The project is paused."})
	default:
		a.stay(ag, intent{kind: contracts.GoalWork, state: contracts.StateWorking, taskID: t.TaskID, why: fmt.Sprintf("Working on “%s”.", t.Title)})
	}
}

func (a *act) stepMeeting() bool {
	p := a.w.Meeting()
	if p == nil {
		return false
	}
	if at, ok := a.meetingEnds(p); ok && at <= a.now.MS {
		a.endMeeting(p)
		return true
	}
	return false
}

// stepAgents takes the first due step of any agent: start a task at a desk, walk to a desk for a
// waiting task, act without a task (see stepOutside), or go home. It reports whether there was one.
func (a *act) stepAgents() bool {
	for _, t := range a.w.Tasks() {
		ag := a.w.Agent(t.Assignee)
		if ag == nil || !startable(t) || a.w.OpenDecision(t.TaskID) != nil || a.w.Project(t.ProjectID).Paused {
			continue
		}
		switch {
		case ag.TaskID == t.TaskID && ag.Goal.Goal.Kind == contracts.GoalWork:
			a.start(t)
			return true
		case a.w.Free(ag):
			a.goToDesk(t, ag, fmt.Sprintf("Resuming “%s”.", t.Title))
			return true
		}
	}
	for _, ag := range a.w.Agents() {
		if a.w.Free(ag) && a.stepOutside(ag) {
			return true
		}
		if at, ok := a.celebrationEnds(ag); ok && at <= a.now.MS {
			a.sendHome(ag)
			return true
		}
	}
	return false
}

// stepProjects takes the first due step of any project: it assigns a task, starts a waiting
// kickoff, or completes or archives the project. It returns false if no step is due.
func (a *act) stepProjects() bool {
	for _, p := range a.w.Projects() {
		if p.Paused {
			continue
		}
		if p.AutoAssign && a.assignNext(p) {
			return true
		}
		if p.Kickoff == world.KickoffWaiting && a.kickOffRefusal() == nil {
			a.kickOff(p)
			return true
		}
		if a.completionDue(p) {
			a.complete(p)
			return true
		}
		if at, ok := a.archivesAt(p); ok && at <= a.now.MS {
			a.emit(&contracts.Event{Name: contracts.EventProjectArchived, ProjectID: p.ProjectID, Meta: &contracts.Meta{Title: "Archived", Summary: p.Title}})
			return true
		}
	}
	return false
}

func (a *act) assignNext(p *world.Project) bool {
	waiting, _ := a.unassigned(p.ProjectID)
	for _, t := range waiting {
		if ag := a.bestFree(t.Kind); ag != nil {
			a.assign(t, ag, true)
			return true
		}
	}
	return false
}

// Deadline returns the time at which Advance will next have something to do, if no new input
// arrives; ok is false if only an input can change the world.
func (d *Director) Deadline(w *world.World) (at int64, ok bool) {
	a := d.act(w, Now{})
	sooner := func(t int64, is bool) {
		if is && (!ok || t < at) {
			at, ok = t, true
		}
	}
	for _, ag := range w.Agents() {
		sooner(w.ArrivesAt(ag))
		sooner(a.celebrationEnds(ag))
		sooner(unwatchedEnds(ag))
	}
	for _, dec := range w.Decisions() {
		sooner(dec.ExpiresAt, dec.Status == contracts.DecisionOpen && dec.ExpiresAt != 0)
	}
	sooner(turnsEnd(w))
	if p := w.Meeting(); p != nil {
		sooner(a.meetingEnds(p))
	}
	for _, p := range w.Projects() {
		if !p.Paused {
			sooner(a.archivesAt(p))
		}
	}
	for i := range w.Rooms() {
		sooner(a.closesAt(&w.Rooms()[i]))
	}
	return at, ok
}
