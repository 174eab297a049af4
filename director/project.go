package director

import (
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

func (a *act) pauseProject(c contracts.PauseProject) (contracts.Result, *contracts.Refusal) {
	p, refusal := a.project(c.ProjectID)
	if refusal != nil {
		return contracts.Result{}, refusal
	}
	switch {
	case p.Paused:
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "project %q is already paused", p.Title)
	case p.CompletedAt != 0:
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "project %q is completed; there is nothing to pause", p.Title)
	}
	a.emit(&contracts.Event{Name: contracts.EventProjectPaused, ProjectID: p.ProjectID, Meta: &contracts.Meta{Title: "Paused", Summary: p.Title}})
	a.setSeatedState(p, contracts.StateWaiting, "The project is paused.")
	return contracts.Result{ProjectID: p.ProjectID}, nil
}

func (a *act) resumeProject(c contracts.ResumeProject) (contracts.Result, *contracts.Refusal) {
	p, refusal := a.project(c.ProjectID)
	if refusal != nil {
		return contracts.Result{}, refusal
	}
	if !p.Paused {
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "project %q is not paused", p.Title)
	}
	a.emit(&contracts.Event{Name: contracts.EventProjectResumed, ProjectID: p.ProjectID, Meta: &contracts.Meta{Title: "Resumed", Summary: p.Title}})
	a.setSeatedState(p, contracts.StateWorking, "The project continues.")
	return contracts.Result{ProjectID: p.ProjectID}, nil
}

// setSeatedState changes the state of all agents that are at a desk working on a project.
func (a *act) setSeatedState(p *world.Project, state contracts.AgentState, why string) {
	for _, ag := range a.w.Agents() {
		if t := a.w.Task(ag.TaskID); t != nil && t.ProjectID == p.ProjectID && ag.Goal.Goal.Kind == contracts.GoalWork {
			a.stay(ag, intent{kind: contracts.GoalWork, state: state, taskID: t.TaskID, why: why})
		}
	}
}

// complete closes a project whose tasks are all final. A project with at least one finished task
// gets a trophy if an anchor is free and the project has no trophy yet.
func (a *act) complete(p *world.Project) {
	done := 0
	for t := range a.w.ProjectTasks(p.ProjectID) {
		if t.Status == contracts.TaskDone {
			done++
		}
	}
	e := &contracts.Event{Name: contracts.EventProjectCompleted, ProjectID: p.ProjectID, Meta: &contracts.Meta{Title: "Project completed", Summary: p.Title}}
	if done > 0 {
		e.Decor = a.trophy(p)
	}
	a.emit(e)
	switch {
	case e.Decor != nil:
		a.bdSays(p, fmt.Sprintf("“%s” is finished.%s There is a new trophy on the shelf.", p.Title, a.thanks(p)))
	case done > 0:
		a.bdSays(p, fmt.Sprintf("“%s” is finished.%s", p.Title, a.thanks(p)))
	default:
		a.bdSays(p, fmt.Sprintf("“%s” is closed; none of its tasks was done.", p.Title))
		return
	}
	a.celebrate(p)
}

// trophies are the kinds of trophies that a finished project may get.
var trophies = []string{"cup_gold", "espresso_machine", "star", "cup_silver", "globe", "cup_bronze"}

func (a *act) trophy(p *world.Project) *contracts.Decor {
	taken := map[string]bool{}
	for _, d := range a.w.Decor() {
		if d.UnlockedBy == p.ProjectID {
			return nil
		}
		taken[d.AnchorID] = true
	}
	for _, anchor := range a.w.Scene().DecorAnchors() {
		if !taken[anchor.ID] {
			n := len(a.w.Decor())
			return &contracts.Decor{
				DecorID:  fmt.Sprintf("decor_trophy_%s_%d", trophies[n%len(trophies)], n+1),
				AnchorID: anchor.ID, UnlockedBy: p.ProjectID, Outcome: "completed",
			}
		}
	}
	return nil
}

// completionDue reports whether all tasks of a project are final and its completion has not been
// recorded yet.
func (a *act) completionDue(p *world.Project) bool {
	return p.CompletedAt == 0 && a.w.Status(p) == contracts.ProjectCompleted
}

func (a *act) archivesAt(p *world.Project) (int64, bool) {
	if p.CompletedAt == 0 {
		return 0, false
	}
	after := a.cfg.ArchiveAfter.Milliseconds()
	at := p.CompletedAt + after
	for t := range a.w.ProjectTasks(p.ProjectID) {
		switch {
		case t.Unlanded():
			at = max(at, p.CompletedAt+contracts.LandingWait.Milliseconds())
		case t.Landed():
			at = max(at, t.UpdatedAt+after)
		}
	}
	return at, true
}
