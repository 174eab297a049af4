package director

import (
	"cmp"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// taskOrigin is the task or artifact that a task was made from. It is empty for a planned task.
type taskOrigin struct{ rerunOf, splitFrom string }

// createTasks puts the drafts on the board as tasks and returns their number.
func (a *act) createTasks(p *world.Project, drafts []contracts.TaskDraft, from taskOrigin, meta *contracts.Meta) int {
	rows := make([]contracts.Task, len(drafts))
	for i, d := range drafts {
		priority := cmp.Or(d.Priority, i+1)
		rows[i] = contracts.Task{
			TaskID: fmt.Sprintf("task_t%d", a.w.Made().Tasks+1+i), ProjectID: p.ProjectID,
			Title: d.Title, Description: d.Description, Kind: d.Kind, Priority: priority,
			Status: contracts.TaskPlanned, RerunOf: from.rerunOf, SplitFrom: from.splitFrom,
		}
	}
	a.emit(&contracts.Event{Name: contracts.EventTasksCreated, ProjectID: p.ProjectID, Tasks: rows, Meta: meta})
	return len(rows)
}

func (a *act) lastTaskIDs(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("task_t%d", a.w.Made().Tasks-n+1+i)
	}
	return ids
}

func (a *act) cancelTask(c contracts.CancelTask) (contracts.Result, *contracts.Refusal) {
	t, refusal := a.task(c.TaskID)
	if refusal != nil {
		return contracts.Result{}, refusal
	}
	if refusal := expect("payload.data.expected_task_status", c.ExpectedTaskStatus, t.Status); refusal != nil {
		return contracts.Result{}, refusal
	}
	if t.Status.Final() {
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "task %q is already %s", t.Title, taskStatus(t))
	}
	reason := cmp.Or(c.Reason, "Cancelled by you.")
	a.cancel(t, reason)
	return contracts.Result{TaskIDs: []string{t.TaskID}}, nil
}

// cancel cancels a task together with its open question and its run.
func (a *act) cancel(t *world.Task, reason string) {
	a.dropDecision(t, reason)
	a.endRun(t, contracts.RunCancelled, reason)
	a.emit(&contracts.Event{Name: contracts.EventTaskCancelled, ProjectID: t.ProjectID, TaskID: t.TaskID, AgentID: t.Assignee, Reason: reason,
		Meta: &contracts.Meta{Title: "Task cancelled", Summary: t.Title}})
}

func (a *act) rerunTask(c contracts.RerunTask) (contracts.Result, *contracts.Refusal) {
	t, refusal := a.task(c.SourceTaskID)
	if refusal != nil {
		return contracts.Result{}, refusal
	}
	if !t.Status.Final() {
		return contracts.Result{}, contracts.Refuse(contracts.CodeNotAllowed, "task %q is still %s; only a task that is done or cancelled can be run again", t.Title, taskStatus(t))
	}
	p := a.w.Project(t.ProjectID)
	if refusal := a.taskLimitRefusal(p, 1); refusal != nil {
		return contracts.Result{}, refusal
	}
	draft := contracts.TaskDraft{Title: t.Title, Description: t.Description, Kind: t.Kind, Priority: t.Priority}
	if c.Reason != "" {
		draft.Description += "\n\nReason for running it again: " + c.Reason
	}
	a.createTasks(p, []contracts.TaskDraft{draft}, taskOrigin{rerunOf: t.TaskID}, &contracts.Meta{Title: "Task rerun", Summary: t.Title})
	return contracts.Result{ProjectID: p.ProjectID, TaskIDs: a.lastTaskIDs(1)}, nil
}

// taskLimitRefusal returns a refusal if n more tasks would exceed the limit on tasks per project,
// otherwise nil.
func (a *act) taskLimitRefusal(p *world.Project, n int) *contracts.Refusal {
	have := 0
	for range a.w.ProjectTasks(p.ProjectID) {
		have++
	}
	if have+n > contracts.LimitProjectTasks {
		return contracts.Refuse(contracts.CodeConflict, "project %q has %d tasks; %d more would exceed the limit of %d", p.Title, have, n, contracts.LimitProjectTasks)
	}
	return nil
}

// startable reports whether another attempt may start once the agent is at a desk.
func startable(t *world.Task) bool {
	return t.Ready && !t.Status.Final()
}

// start begins the next attempt at a task whose assignee is at a desk.
func (a *act) start(t *world.Task) {
	attempt := t.Attempt + 1
	ag := a.w.Agent(t.Assignee)
	run := contracts.Run{
		RunID: fmt.Sprintf("run_%s_%d", t.TaskID[len("task_"):], attempt), TaskID: t.TaskID, Attempt: attempt,
		AgentID: t.Assignee, Runner: ag.Runner, Status: contracts.RunStarted, StartedAt: a.now.MS,
	}
	a.emit(&contracts.Event{Name: contracts.EventTaskStarted, ProjectID: t.ProjectID, TaskID: t.TaskID, AgentID: t.Assignee,
		POIID: ag.Goal.Goal.POIID, Attempt: attempt, RunID: run.RunID, Kind: string(t.Kind),
		Meta: &contracts.Meta{Title: "Work started", Summary: t.Title}})
	a.emitKeyed("run/"+run.RunID, &run)
}

// endRun ends the task's run, if it is still open.
func (a *act) endRun(t *world.Task, status contracts.RunStatus, reason string) {
	if t.Run.Status != contracts.RunStarted && t.Run.Status != contracts.RunRunning {
		return
	}
	run := t.Run
	run.Status, run.Reason, run.EndedAt = status, reason, a.now.MS
	a.emit(&run)
}
