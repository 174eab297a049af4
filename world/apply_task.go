package world

import (
	"errors"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

func (w *World) foldTask(e *contracts.Event, ts int64) error {
	t, err := find(w.tasks, e.TaskID)
	if err != nil {
		return err
	}
	t.UpdatedAt = ts
	switch e.Name {
	case contracts.EventTaskAssigned:
		return w.foldAssigned(t, e)
	case contracts.EventTaskStarted:
		t.Status, t.Attempt, t.Percent = contracts.TaskInProgress, e.Attempt, 0
		t.Ready, t.BlockedReason, t.ProgressAt, t.Tree = false, "", 0, ""
		if !slices.Contains(t.Workers, t.Assignee) {
			t.Workers = append(slices.Clip(t.Workers), t.Assignee)
		}
		if a := w.agents[t.Assignee]; a != nil && e.Attempt <= 1 {
			a.Impacts = Impacts{} // the edits of earlier tasks are not part of this one
		}
	case contracts.EventTaskProgress:
		t.Percent, t.ProgressAt = e.Percent, ts
		if a := w.agents[t.Assignee]; a != nil {
			a.StatusLine = e.PreviewText
		}
	case contracts.EventTaskBlocked:
		t.Status, t.BlockedReason = contracts.TaskBlocked, e.Reason
	case contracts.EventTaskDone:
		t.Status, t.Percent = contracts.TaskDone, 100
		w.release(t)
	case contracts.EventTaskCancelled:
		t.Status, t.Ready = contracts.TaskCancelled, false
		w.release(t)
		w.dropCollisions(t.TaskID)
		for _, a := range w.TaskArtifacts(t.TaskID, contracts.ArtifactCreated, contracts.ArtifactDelivered,
			contracts.ArtifactInReview, contracts.ArtifactChangesRequested) {
			a.Status = contracts.ArtifactSuperseded
		}
	}
	return nil
}

func (w *World) foldAssigned(t *Task, e *contracts.Event) error {
	a, err := find(w.agents, e.AgentID)
	if err != nil {
		return err
	}
	w.release(t)
	t.Assignee, a.TaskID = a.AgentID, t.TaskID
	if t.Status != contracts.TaskPlanned {
		t.Ready = true // the new assignee starts another attempt
	}
	if e.Auto {
		w.projects[t.ProjectID].AutoAssign = true
	}
	return nil
}

// release frees the agent that is working on the task.
func (w *World) release(t *Task) {
	if a := w.agents[t.Assignee]; a != nil && a.TaskID == t.TaskID {
		a.TaskID, a.StatusLine = "", ""
	}
}

func (w *World) foldDecision(e *contracts.Event, ts int64) error {
	if e.Name == contracts.EventDecisionRequested {
		if e.Decision == nil {
			return errors.New("decision_requested has no decision")
		}
		d := *e.Decision
		d.AskedAt = ts
		w.s.Decisions = append(w.s.Decisions, &d)
		w.decisions[d.DecisionID] = &d
		w.s.Made.Decisions++
		if a := w.agents[d.AskedBy]; a != nil && d.Session != nil {
			a.Impacts.Listed = d.Session.Checked.Edit.At
		}
		return nil
	}
	d, err := find(w.decisions, e.DecisionID)
	if err != nil {
		return err
	}
	if e.Name == contracts.EventDecisionCancelled {
		d.Status, d.Reason = contracts.DecisionCancelled, e.Reason
		if a := w.agents[d.AskedBy]; a != nil && d.Session != nil && a.Active() {
			a.Impacts.Listed = 0
		}
		w.forgetClosedAsks()
		return nil
	}
	d.Status, d.Choice, d.Choices, d.Note, d.RuleID = contracts.DecisionResolved, e.Choice, e.Choices, e.Note, e.RuleID
	w.forgetClosedAsks()
	t := w.tasks[d.TaskID]
	if t == nil {
		return nil
	}
	t.UpdatedAt = ts
	if d.Kind == contracts.DecisionRetry {
		t.Ready = true
		return nil
	}
	t.Status, t.BlockedReason = contracts.TaskInProgress, ""
	return nil
}

func (w *World) foldArtifact(e *contracts.Event, ts int64) error {
	if e.Name == contracts.EventArtifactCreated {
		return w.foldArtifactCreated(e)
	}
	a, err := find(w.artifacts, e.ArtifactID)
	if err != nil {
		return err
	}
	t := w.tasks[a.TaskID]
	if t != nil {
		t.UpdatedAt = ts
	}
	switch e.Name {
	case contracts.EventArtifactDelivered:
		a.Status, a.POIID = contracts.ArtifactDelivered, e.POIID
	case contracts.EventReviewRequested:
		a.Status = contracts.ArtifactInReview
		if t != nil {
			t.Status, t.Percent = contracts.TaskReview, 100
			w.projects[t.ProjectID].CompletedAt = 0
			w.release(t)
		}
	case contracts.EventReviewApproved:
		a.Status = contracts.ArtifactApproved
		w.addAcceptResult(a, contracts.CheckPerson, e.By, ts, true)
	case contracts.EventReviewChangesRequested:
		a.Status = contracts.ArtifactChangesRequested
		if t != nil {
			w.reopen(t)
			if t.Ready && t.Instructions != "" { // another artifact was sent back before the rework began
				t.Instructions += "\n\n" + e.Instructions
			} else {
				t.Ready, t.Instructions = true, e.Instructions
			}
		}
	}
	return nil
}

// reopen sends a finished task back to review, because a check of its pull request has failed. It
// leaves unfinished tasks as they are.
func (w *World) reopen(t *Task) {
	if t.Status == contracts.TaskDone {
		t.Status = contracts.TaskReview
		t.Returns++
		w.projects[t.ProjectID].CompletedAt = 0
	}
}

func (w *World) foldArtifactCreated(e *contracts.Event) error {
	if e.Artifact == nil {
		return errors.New("artifact_created has no artifact")
	}
	a := *e.Artifact
	w.s.Artifacts = append(w.s.Artifacts, &a)
	w.artifacts[a.ArtifactID] = &a
	w.s.Made.Artifacts++
	if t := w.tasks[a.TaskID]; t != nil && a.Tree != "" {
		t.Tree = a.Tree
	}
	if parent := w.artifacts[a.Parent]; parent != nil {
		parent.Status = contracts.ArtifactSuperseded
	}
	return nil
}
