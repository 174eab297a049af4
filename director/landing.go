package director

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// landTask records a person's request to land approved work in the target branch. The node that has
// the repository lands the work and reports Landed or LandingFailed.
func (a *act) landTask(c contracts.LandTask) (contracts.Result, *contracts.Refusal) {
	if !a.caller.Permit {
		return contracts.Result{}, contracts.RefuseWithoutOperator("landing work in a repository")
	}
	t, refusal := a.task(c.TaskID)
	if refusal == nil {
		refusal = a.landRefusal(t, c)
	}
	if refusal != nil {
		return contracts.Result{}, refusal
	}
	l := contracts.Landing{Number: 1, How: c.How, DryRun: c.DryRun, Unproven: t.Verdict() != contracts.VerdictProven, Tree: t.Tree, Status: contracts.LandRequested, By: a.caller.By, Target: t.Worktree.Target}
	if t.Landing != nil {
		l.Number = t.Landing.Number + 1
	}
	a.emit(&contracts.Event{Name: contracts.EventLandingRequested, ProjectID: t.ProjectID, TaskID: t.TaskID, AgentID: t.Assignee, Landing: &l, By: a.caller.By, Via: a.caller.Via,
		Meta: &contracts.Meta{Title: "Landing requested: " + string(c.How), Summary: t.Title}})
	return contracts.Result{ProjectID: t.ProjectID, TaskIDs: []string{t.TaskID}}, nil
}

func (a *act) landRefusal(t *world.Task, c contracts.LandTask) *contracts.Refusal {
	verdict := t.Verdict()
	switch {
	case t.Worktree == nil || t.Tree == "":
		return contracts.Refuse(contracts.CodeConflict, "task %q has no repository work to land", t.Title)
	case t.Status != contracts.TaskDone:
		return contracts.Refuse(contracts.CodeConflict, "task %q is %s; approve its delivery first", t.Title, taskStatus(t))
	case !t.Unlanded():
		return contracts.Refuse(contracts.CodeConflict, "task %q is already in %s, as commit %s", t.Title, t.Landing.Target, t.Landing.Commit)
	case t.Landing != nil && t.Landing.Status == contracts.LandRequested:
		return contracts.Refuse(contracts.CodeConflict, "task %q is already being landed", t.Title)
	case t.Landing != nil && t.Landing.Status == contracts.LandOpen && (c.How != contracts.LandPull || c.DryRun):
		return contracts.Refuse(contracts.CodeConflict, "task %q has an open pull request: merge or close %s", t.Title, t.Landing.Pull.URL)
	case a.w.Repo(t.Worktree.Repo) == nil:
		return contracts.Refuse(contracts.CodeConflict, "the repository %s was removed from the office; add it again first", t.Worktree.Repo)
	case !a.approvedFiles(t):
		return contracts.Refuse(contracts.CodeConflict, "the files of task %q changed after they were approved; restore them, or merge the branch %s yourself", t.Title, t.Worktree.Branch)
	case verdict != contracts.VerdictProven && !c.AcceptUnproven && !c.DryRun:
		return contracts.Refuse(contracts.CodeConflict, "task %q is %s: %s Set accept_unproven to land it anyway", t.Title, contracts.VerdictWords[verdict], contracts.VerdictNotes[verdict])
	}
	return nil
}

// approvedFiles reports whether a person approved the files that would be landed.
func (a *act) approvedFiles(t *world.Task) bool {
	return slices.ContainsFunc(a.w.TaskArtifacts(t.TaskID, contracts.ArtifactApproved), func(art *contracts.Artifact) bool { return art.Tree == t.Tree })
}

// findOpenLanding returns the task if the landing with the given number is still open. If that
// landing has already ended, the fact is a repeat, and findOpenLanding returns nil without a
// refusal.
func (a *act) findOpenLanding(taskID string, number int) (*world.Task, *contracts.Refusal) {
	t, refusal := a.task(taskID)
	switch {
	case refusal != nil:
		return nil, refusal
	case t.Landing == nil || number > t.Landing.Number || number < 1:
		return nil, contracts.Refuse(contracts.CodeConflict, "%s has no landing %d", taskID, number)
	case number < t.Landing.Number || t.Landing.Status != contracts.LandRequested && t.Landing.Status != contracts.LandOpen:
		return nil, nil
	}
	return t, nil
}

func (a *act) landed(f contracts.Landed) *contracts.Refusal {
	t, refusal := a.findOpenLanding(f.TaskID, f.Number)
	if refusal != nil || t == nil {
		return refusal
	}
	l := *t.Landing
	if !l.DryRun && !contracts.IsObjectID(f.Commit) {
		return contracts.RefuseField("commit", "a landing must name its commit")
	}
	target := contracts.Clip(contracts.CleanLine(f.Target), contracts.LimitBranch)
	e := &contracts.Event{Name: contracts.EventTaskLanded, ProjectID: t.ProjectID, TaskID: t.TaskID, AgentID: t.Assignee, Landing: &l,
		Meta: &contracts.Meta{Title: "Landed in " + target, Summary: t.Title}}
	l.Status, l.Target, l.Commit, l.Reason = contracts.LandDone, target, f.Commit, ""
	if l.DryRun {
		l.Status, l.Commit = contracts.LandChecked, ""
		e.Name, e.Meta.Title = contracts.EventLandingChecked, "Can be landed in "+target
	}
	a.emit(e)
	return nil
}

// landingFailed ends a landing. If there are conflicts, the project gets a new task to resolve
// them, which is assigned to the original task's agent if that agent is free. Files that were
// merged with new commits on the target branch are delivered for another review.
func (a *act) landingFailed(f contracts.LandingFailed) *contracts.Refusal {
	t, refusal := a.findOpenLanding(f.TaskID, f.Number)
	if refusal != nil || t == nil {
		return refusal
	}
	if f.Patch != nil && (f.Patch.Tree == "" || f.Patch.Tree != t.UpdatedTree || f.Patch.Base != t.Worktree.Base) {
		return contracts.RefuseField("patch", "the patch must contain the files that the office merged")
	}
	l := *t.Landing
	l.Status, l.Reason, l.Conflicts = contracts.LandFailed, contracts.Clip(contracts.CleanText(f.Reason), contracts.LimitNote), cleanPaths(f.Conflicts)
	a.emit(&contracts.Event{Name: contracts.EventLandingFailed, ProjectID: t.ProjectID, TaskID: t.TaskID, AgentID: t.Assignee, Landing: &l,
		Meta: &contracts.Meta{Title: "Not landed", Summary: l.Reason}})
	if p := a.w.Project(t.ProjectID); len(l.Conflicts) > 0 && !l.DryRun && a.taskLimitRefusal(p, 1) == nil {
		a.resolveConflicts(p, t, &l)
	}
	if f.Patch != nil {
		a.redeliver(t, *f.Patch)
	}
	return nil
}

func (a *act) resolveConflicts(p *world.Project, t *world.Task, l *contracts.Landing) {
	target := l.Target
	if target == "" {
		target = "the target branch"
	}
	draft := contracts.TaskDraft{
		Title: contracts.Clip("Resolve conflicts: "+t.Title, contracts.LimitTaskTitle), Kind: t.Kind, Priority: t.Priority,
		Description: fmt.Sprintf("The work on “%s” conflicts with %s in these files:\n%s\n\nMerge the branch %s, resolve the conflicts and deliver the result.", t.Title, target, strings.Join(l.Conflicts, "\n"), t.Worktree.Branch),
	}
	a.createTasks(p, []contracts.TaskDraft{draft}, taskOrigin{rerunOf: t.TaskID}, &contracts.Meta{Title: "Conflicts to resolve", Summary: t.Title})
	next := a.w.Task(a.lastTaskIDs(1)[0])
	if ag := a.w.Agent(t.Assignee); ag != nil && a.takeRefusal(ag) == nil && a.pausedRefusal(p.ProjectID) == nil {
		a.assign(next, ag, false)
	}
}

// cleanPaths returns up to contracts.LimitChangedPaths paths, sorted and cleaned for display.
func cleanPaths(paths []string) (out []string) {
	for _, p := range paths {
		if p = contracts.Clip(contracts.CleanLine(p), contracts.LimitNote); p != "" {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), contracts.LimitChangedPaths)]
}

// collisionSeen records which paths several tasks have changed, unless that is already recorded.
func (a *act) collisionSeen(f contracts.CollisionSeen) *contracts.Refusal {
	ids := slices.Compact(slices.Sorted(slices.Values(f.TaskIDs)))
	if len(ids) < 2 {
		return contracts.RefuseField("task_ids", "a collision must name at least two tasks")
	}
	for _, id := range ids {
		if _, refusal := a.preparedTask(id); refusal != nil {
			return refusal
		}
	}
	c := contracts.Collision{TaskIDs: ids, Paths: cleanPaths(f.Paths)}
	known := slices.ContainsFunc(a.w.Collisions(), func(o contracts.Collision) bool { return slices.Equal(o.TaskIDs, ids) })
	switch {
	case slices.ContainsFunc(a.w.Collisions(), c.Equal), len(c.Paths) == 0 && !known:
		return nil
	case !known && len(a.w.Collisions()) >= contracts.LimitCollisions:
		return contracts.Refuse(contracts.CodeConflict, "there are already %d collisions between tasks; land or cancel some of those tasks", contracts.LimitCollisions)
	}
	title := fmt.Sprintf("%d tasks edit the same files", len(ids))
	if len(c.Paths) == 0 {
		title = fmt.Sprintf("%d tasks no longer edit the same files", len(ids))
	}
	a.emit(&contracts.Event{Name: contracts.EventCollisionSeen, Collision: &c,
		Meta: &contracts.Meta{Title: title, Summary: contracts.Clip(strings.Join(c.Paths, ", "), contracts.LimitPreview)}})
	return nil
}
