package director

import (
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// Decide turns a command into records, or refuses it without changing anything. contracts.Parse has
// already checked the shape of data; Decide checks existence and state. After an error, the world
// is dirty and must be rebuilt from the ledger.
func (d *Director) Decide(w *world.World, now Now, caller contracts.Caller, data contracts.CommandData) (recs []contracts.Record, res contracts.Result, refusal *contracts.Refusal, err error) {
	a := d.act(w, now)
	a.caller = caller
	recs, refusal, err = a.collect(func() *contracts.Refusal {
		var refusal *contracts.Refusal
		res, refusal = a.decide(data)
		return refusal
	})
	return recs, res, refusal, err
}

func (a *act) decide(data contracts.CommandData) (contracts.Result, *contracts.Refusal) {
	switch c := data.(type) {
	case contracts.SubmitRequest:
		return a.submitRequest(c)
	case contracts.StartKickoff:
		return a.startKickoff(c)
	case contracts.AssignTask:
		return a.assignTask(c)
	case contracts.AutoAssign:
		return a.autoAssign(c)
	case contracts.ReassignTask:
		return a.reassignTask(c)
	case contracts.ResolveDecision:
		return a.resolveDecision(c)
	case contracts.ApproveArtifact:
		return a.approveArtifact(c)
	case contracts.RequestChanges:
		return a.requestChanges(c)
	case contracts.SplitIntoTasks:
		return a.splitIntoTasks(c)
	case contracts.CancelTask:
		return a.cancelTask(c)
	case contracts.RerunTask:
		return a.rerunTask(c)
	case contracts.PauseProject:
		return a.pauseProject(c)
	case contracts.ResumeProject:
		return a.resumeProject(c)
	case contracts.RevokeRule:
		return a.revokeRule(c)
	case contracts.AddRepo:
		return a.addRepo(c)
	case contracts.RemoveRepo:
		return a.removeRepo(c)
	case contracts.LandTask:
		return a.landTask(c)
	case contracts.AskReview:
		return a.askReview(c)
	case contracts.Say:
		return a.say(c)
	case contracts.AgentControl:
		return a.controlAgent(c)
	}
	return contracts.Result{}, contracts.Refuse(contracts.CodeNotAllowed, "the office does not support the command %q", data.CommandName())
}

func (a *act) project(id string) (*world.Project, *contracts.Refusal) {
	if p := a.w.Project(id); p != nil {
		return p, nil
	}
	return nil, a.noProject(id)
}

func (a *act) task(id string) (*world.Task, *contracts.Refusal) {
	if t := a.w.Task(id); t != nil {
		return t, nil
	}
	return nil, a.noTask(id)
}

func (a *act) agent(id string) (*world.Agent, *contracts.Refusal) {
	if ag := a.w.Agent(id); ag != nil {
		return ag, nil
	}
	return nil, a.noAgent(id)
}

// pausedRefusal returns a refusal if the project is paused, otherwise nil.
func (a *act) pausedRefusal(projectID string) *contracts.Refusal {
	if p := a.w.Project(projectID); p.Paused {
		return contracts.Refuse(contracts.CodeNotAllowed, "project %q is paused; resume it first", p.Title)
	}
	return nil
}

// expect returns a refusal if expected is set and differs from actual, otherwise nil.
func expect[T ~string](field string, expected, actual T) *contracts.Refusal {
	if expected == "" || expected == actual {
		return nil
	}
	r := contracts.Refuse(contracts.CodeConflict, "status changed: expected %q, now %q; check it and try again", expected, actual)
	r.Field = field
	return r
}
