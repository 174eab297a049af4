package director

import (
	"fmt"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// taskPrepared records the worktree of an attempt, unless the task already has it.
func (a *act) taskPrepared(f contracts.TaskPrepared) *contracts.Refusal {
	t, refusal := a.attempt(f.TaskID, f.Attempt)
	if refusal != nil {
		return refusal
	}
	if repo := a.w.Project(t.ProjectID).Repo; repo == "" || repo != f.Worktree.Repo {
		return contracts.Refuse(contracts.CodeConflict, "%s belongs to the repository %q, not to %q", t.TaskID, repo, f.Worktree.Repo)
	}
	if refusal := worktreeRefusal(f.Worktree); refusal != nil {
		return refusal
	}
	if refusal := worktreeChecksRefusal(a.w.Project(t.ProjectID), f.Worktree.Checks); refusal != nil {
		return refusal
	}
	if t.Worktree != nil && t.Worktree.Equal(f.Worktree) {
		return nil
	}
	a.emit(&contracts.Event{Name: contracts.EventTaskPrepared, ProjectID: t.ProjectID, TaskID: t.TaskID, AgentID: t.Assignee, Attempt: f.Attempt, Worktree: &f.Worktree,
		Meta: &contracts.Meta{Title: "Worktree ready", Summary: f.Worktree.Branch}})
	return nil
}

func worktreeRefusal(w contracts.Worktree) *contracts.Refusal {
	for _, f := range []struct{ member, text string }{{"dir", w.Dir}, {"branch", w.Branch}, {"target", w.Target}} {
		if len(f.text) > contracts.LimitFilePath || contracts.CleanLine(f.text) != f.text || f.text == "" && f.member != "target" {
			return contracts.RefuseField("worktree."+f.member, "the %s of a worktree must be one line of at most %d printable bytes", f.member, contracts.LimitFilePath)
		}
	}
	if !contracts.IsObjectID(w.Base) {
		return contracts.RefuseField("worktree.base", "the base of a worktree must be a commit id")
	}
	if most := contracts.LimitChecks + contracts.LimitAccept; len(w.Checks) > most {
		return contracts.RefuseField("worktree.checks", "a task can have at most %d checks, not %d", most, len(w.Checks))
	}
	for i, c := range w.Checks {
		if contracts.Blank(c.Name) || len(c.Name) > contracts.LimitName || contracts.Blank(c.Command) || len(c.Command) > contracts.LimitCheckCommand {
			return contracts.RefuseField(fmt.Sprintf("worktree.checks[%d]", i), "a check needs a name of at most %d bytes and a command of at most %d bytes", contracts.LimitName, contracts.LimitCheckCommand)
		}
		if slices.ContainsFunc(w.Checks[:i], func(o contracts.Check) bool { return o.Name == c.Name }) {
			return contracts.RefuseField(fmt.Sprintf("worktree.checks[%d]", i), "two checks are named %q", c.Name)
		}
	}
	return nil
}

// checkRan records the result of a check that the office ran. The base commit or the request must
// define the check.
func (a *act) checkRan(f contracts.CheckRan) *contracts.Refusal {
	t, refusal := a.preparedTask(f.TaskID)
	if refusal != nil {
		return refusal
	}
	r := f.Result
	switch {
	case t.Attempt != f.Attempt:
		return contracts.Refuse(contracts.CodeConflict, "attempt %d at %s has ended", f.Attempt, t.TaskID)
	case !contracts.IsObjectID(r.Tree) || r.TreeAfter != "" && !contracts.IsObjectID(r.TreeAfter):
		return contracts.RefuseField("result.tree", "the result of a check must name the git tree that it ran on")
	case r.Started < 0 || r.DurationMS < 0 || r.OutputBytes < 0:
		return contracts.RefuseField("result", "times and sizes must not be negative")
	case r.Hosted():
		return a.hostedCheckRan(t, f)
	case !t.Worktree.Has(r):
		return contracts.RefuseField("result.name", "%s has no check %q with this command", t.TaskID, r.Name)
	}
	r.By = contracts.Clip(contracts.CleanLine(r.By), contracts.LimitID)
	r.Reason = contracts.Clip(contracts.CleanLine(r.Reason), contracts.LimitNote)
	i := slices.IndexFunc(t.Worktree.Checks, func(c contracts.Check) bool { return c.Name == r.Name })
	c := t.Worktree.Checks[i]
	if !c.Kind.Runs() {
		return contracts.RefuseField("result.name", "%q is a review or an approval, which the office does not run", r.Name)
	}
	r.Kind, r.Optional = c.Kind, c.Optional
	f.Result = r
	a.checkFinished(t, f)
	return nil
}

// checkFinished records the result of a check, unless it was reported before.
func (a *act) checkFinished(t *world.Task, f contracts.CheckRan) {
	r := f.Result
	if slices.Contains(t.Results, r) {
		return
	}
	a.emitKeyed(contracts.FactKey(f), &contracts.Event{Name: contracts.EventCheckFinished, ProjectID: t.ProjectID, TaskID: t.TaskID, AgentID: t.Assignee, Attempt: f.Attempt, Check: &r,
		Meta: &contracts.Meta{Title: r.Name + " " + r.Outcome(r.Tree), Summary: contracts.Clip(contracts.CleanLine(r.Command), contracts.LimitPreview)}})
}

// patchRefusal returns a refusal if an artifact names a tree of files, but the task has no worktree or
// the ids are invalid.
func patchRefusal(t *world.Task, drafts []contracts.ArtifactDraft) *contracts.Refusal {
	for i, d := range drafts {
		switch {
		case d.Tree == "" && d.Base == "" && d.Stat == nil:
		case t.Worktree == nil:
			return contracts.Refuse(contracts.CodeConflict, "%s has no worktree, so it cannot deliver a patch", t.TaskID)
		case !contracts.IsObjectID(d.Tree) || !contracts.IsObjectID(d.Base):
			return contracts.RefuseField(fmt.Sprintf("artifacts[%d].tree", i), "a patch must name the git tree of its files and the commit that it applies to")
		}
	}
	return nil
}

// treeSeen records that the files of a task changed while nobody should have been working on them.
// The task's verdict then applies to the new files.
func (a *act) treeSeen(f contracts.TreeSeen) *contracts.Refusal {
	t, refusal := a.preparedTask(f.TaskID)
	if refusal != nil {
		return refusal
	}
	if !contracts.IsObjectID(f.Tree) {
		return contracts.RefuseField("tree", "a tree must be a git object id")
	}
	if f.Base != "" {
		return a.treeUpdated(t, f)
	}
	if t.Tree == "" || t.Tree == f.Tree || t.Status == contracts.TaskInProgress {
		return nil // a working agent is expected to change files
	}
	a.emit(&contracts.Event{Name: contracts.EventTaskTreeChanged, ProjectID: t.ProjectID, TaskID: t.TaskID, AgentID: t.Assignee, Tree: f.Tree,
		Meta: &contracts.Meta{Title: "Files changed after delivery", Summary: t.Title}})
	return nil
}

// treeUpdated records that the office merged new commits from the target branch into the files to
// land.
func (a *act) treeUpdated(t *world.Task, f contracts.TreeSeen) *contracts.Refusal {
	switch {
	case !contracts.IsObjectID(f.Base):
		return contracts.RefuseField("base", "the base of a tree must be a commit id")
	case t.Landing == nil || t.Landing.Status != contracts.LandRequested:
		return contracts.Refuse(contracts.CodeConflict, "%s is not being landed", t.TaskID)
	case t.UpdatedTree == f.Tree && t.Tree == f.Tree:
		return nil // reported before
	}
	updated := *t.Worktree
	updated.Base = f.Base
	a.emit(&contracts.Event{Name: contracts.EventTaskTreeChanged, ProjectID: t.ProjectID, TaskID: t.TaskID, AgentID: t.Assignee, Tree: f.Tree, Worktree: &updated,
		Meta: &contracts.Meta{Title: "Merged new commits from the target branch", Summary: t.Title}})
	return nil
}

// preparedTask returns a task that has a worktree and is not cancelled; for any other task, it
// returns a refusal.
func (a *act) preparedTask(taskID string) (*world.Task, *contracts.Refusal) {
	t, refusal := a.task(taskID)
	switch {
	case refusal != nil:
		return nil, refusal
	case t.Worktree == nil:
		return nil, contracts.Refuse(contracts.CodeConflict, "%s has no worktree", t.TaskID)
	case t.Status == contracts.TaskCancelled:
		return nil, contracts.Refuse(contracts.CodeConflict, "%s is cancelled", t.TaskID)
	}
	return t, nil
}
