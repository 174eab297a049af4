package door

import (
	"context"
	"fmt"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/tools"
	"github.com/bullpen-office/bullpen/world"
)

// cannotTake returns a refusal if the agent is not allowed to take tasks, otherwise nil.
func (d *desk) cannotTake(me contracts.AgentProfile) *contracts.Refusal {
	switch {
	case me.Guest():
		return contracts.Refuse(contracts.CodeNotAllowed, "%s is a guest, and tasks are for the crew: add {id: %s, runner: mcp} to agents in the office's configuration", me.Name, me.AgentID)
	case !d.Pulls(me.AgentID):
		return contracts.Refuse(contracts.CodeNotAllowed, "the office runs the tasks of %s itself; only crew members with a runner of kind mcp can take tasks with take_task", me.Name)
	}
	return nil
}

// Take assigns a free task to the agent, or starts one that the agent already has, and returns the
// task once the agent is at a desk. After contracts.ToolWalk, it returns the task as not started.
func (d *desk) Take(ctx context.Context, q tools.TakeRequest) (tools.Work, error) {
	p, me, err := d.caller(ctx, "took a task")
	if err != nil {
		return tools.Work{}, err
	}
	if refusal := d.cannotTake(me); refusal != nil {
		return tools.Work{}, refusal
	}
	t, err := d.takeable(me, q.TaskID)
	if err != nil {
		return tools.Work{}, err
	}
	if t.Assignee == "" {
		reply := d.Office.Do(ctx, contracts.Command{
			ID:     contracts.DerivedUUID("mcp", me.AgentID, "take_task", q.RequestID),
			Caller: contracts.Caller{Identity: p.ID, By: p.ID, Via: p.Via, Access: p.Access, Name: me.Name},
			Data:   contracts.AssignTask{TaskID: q.TaskID, AgentID: me.AgentID},
		})
		if reply.Refusal != nil {
			return tools.Work{}, reply.Refusal
		}
	}
	return d.awaitStart(ctx, me, q.TaskID)
}

// takeable returns a task if the agent may take it or already has it; otherwise it returns an error
// with the reason.
func (d *desk) takeable(me contracts.AgentProfile, taskID string) (contracts.Task, error) {
	t, ok := d.View.Task(taskID)
	switch {
	case !ok:
		return t, noTask(taskID)
	case t.Assignee != "" && t.Assignee != me.AgentID:
		return t, contracts.Refuse(contracts.CodeConflict, "task %q is assigned to %s; choose one that is free", t.Title, d.View.ProfileOrID(t.Assignee).Name)
	case t.Status == contracts.TaskBlocked:
		return t, contracts.Refuse(contracts.CodeConflict, "task %q is blocked: %s", t.Title, t.BlockedReason)
	case t.Status != contracts.TaskPlanned && t.Status != contracts.TaskInProgress && !d.needsRework(taskID):
		return t, contracts.Refuse(contracts.CodeConflict, "task %q is %s; choose one that is free", t.Title, t.Status)
	}
	return t, nil
}

// needsRework reports whether another attempt at a task may start, for example because changes to
// the task's results were requested.
func (d *desk) needsRework(taskID string) (ready bool) {
	d.View.Look(func(w *world.World) {
		t := w.Task(taskID)
		ready = t != nil && t.Ready && !t.Status.Final()
	})
	return ready
}

func noTask(id string) *contracts.Refusal {
	return contracts.Refuse(contracts.CodeNotFound, "no task %q on the board; read_board lists the tasks", contracts.Clip(contracts.CleanLine(id), contracts.LimitID))
}

// awaitStart waits up to contracts.ToolWalk for the agent's attempt at a task to start, and returns
// the task. It returns an error if the agent can no longer take the task.
func (d *desk) awaitStart(ctx context.Context, me contracts.AgentProfile, taskID string) (tools.Work, error) {
	late := time.After(contracts.ToolWalk)
	for {
		changed := d.View.Changed()
		t, err := d.takeable(me, taskID)
		if err != nil {
			return tools.Work{}, err
		}
		if work, running := d.work(me.AgentID, taskID); running {
			began := contracts.RunBegan{TaskID: taskID, Attempt: work.Task.Task.Attempt, Runner: me.Runner}
			if reply := d.Office.TellAs(ctx, contracts.Teller{}, began)[0]; reply.Refusal != nil {
				return tools.Work{}, reply.Refusal
			}
			return d.row(ctx, work), nil
		}
		select {
		case <-changed:
			continue
		case <-late:
		case <-ctx.Done():
		case <-d.ShutdownCtx.Done():
		}
		if t.Assignee != me.AgentID {
			return tools.Work{}, contracts.Refuse(contracts.CodeConflict, "task %q is no longer yours; take it again with a new request_id", t.Title)
		}
		return tools.Work{
			TaskID: taskID, Title: t.Title, Next: fmt.Sprintf("The task is yours, but has not started yet (%s). Call take_task again.", t.Status),
		}, nil
	}
}

// work returns the agent's work on a task; running is false if the agent is not working on it.
func (d *desk) work(agentID, taskID string) (found contracts.Work, running bool) {
	d.View.Look(func(w *world.World) {
		for _, work := range w.Work() {
			if work.Task != nil && work.Task.Task.TaskID == taskID && work.AgentID == agentID {
				found, running = work, true
			}
		}
	})
	return found, running
}

func (d *desk) row(ctx context.Context, work contracts.Work) tools.Work {
	t := work.Task.Task
	out := tools.Work{
		TaskID: t.TaskID, Attempt: t.Attempt, Started: true, Title: t.Title, Description: t.Description, Kind: string(t.Kind),
		Project: work.Project.Title, Request: work.Project.Request, Instructions: work.Task.Instructions,
		Next: "Do the task, show what you are doing with report_progress, then call deliver.",
	}
	for _, a := range work.Task.Previous {
		content, _, _ := d.Blobs.Blob(ctx, a.SHA256) // if the content of a version is gone, the version is listed without it
		out.Previous = append(out.Previous, tools.Artifact{Title: a.Title, Type: a.Type, MIME: a.MIME, Content: contracts.Clip(string(content), contracts.LimitPromptContent)})
	}
	return out
}

// ownTask returns a task that is assigned to the agent, or an error if the agent may not work on
// the task.
func (d *desk) ownTask(me contracts.AgentProfile, taskID string) (contracts.Task, error) {
	t, ok := d.View.Task(taskID)
	switch {
	case !ok:
		return t, noTask(taskID)
	case t.Assignee != me.AgentID:
		return t, contracts.Refuse(contracts.CodeNotAllowed, "task %q is not yours; take it first with take_task", t.Title)
	}
	if refusal := d.cannotTake(me); refusal != nil {
		return t, refusal
	}
	return t, nil
}

// Progress reports progress on the agent's task or, without one, sets the agent's status.
func (d *desk) Progress(ctx context.Context, r tools.Progress) (tools.Done, error) {
	p, me, err := d.caller(ctx, "reported progress")
	if err != nil {
		return tools.Done{}, err
	}
	if contracts.Blank(contracts.CleanText(r.Text)) {
		return tools.Done{}, contracts.RefuseField("text", "text has no visible characters")
	}
	if r.TaskID == "" {
		_, err := d.report(ctx, p, intake.Event{Kind: "status", Payload: quoted(r.Text)})
		return tools.Done{Done: "people see the report as your status"}, err
	}
	t, err := d.ownTask(me, r.TaskID)
	if err != nil {
		return tools.Done{}, err
	}
	progress := contracts.RunProgress{TaskID: t.TaskID, Attempt: t.Attempt, Percent: r.Percent, Preview: hud.Redact(r.Text)}
	if reply := d.Office.TellAs(ctx, contracts.Teller{}, progress)[0]; reply.Refusal != nil {
		return tools.Done{}, reply.Refusal
	}
	return tools.Done{Done: "people see the report on the task"}, nil
}
