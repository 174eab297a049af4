package model

import (
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// foldDecision applies a question, its answer, or its cancellation, and returns the project whose
// status may change, if any.
func (r *Rows) foldDecision(e *contracts.Event, ts int64) string {
	if e.Name == contracts.EventDecisionRequested {
		if e.Decision != nil {
			row := *e.Decision
			row.AskedAt = ts
			r.Decisions = put(r.Decisions, row, decisionID)
		}
		return ""
	}
	d := r.Decision(e.DecisionID)
	if d == nil {
		return ""
	}
	if e.Name == contracts.EventDecisionCancelled {
		d.Status, d.Reason = contracts.DecisionCancelled, e.Reason
		r.forgetClosedAsks()
		return ""
	}
	d.Status, d.Choice, d.Choices, d.Note, d.RuleID = contracts.DecisionResolved, e.Choice, e.Choices, e.Note, e.RuleID
	asked := *d
	r.forgetClosedAsks()
	task := r.Task(asked.TaskID)
	if task == nil {
		return ""
	}
	// A retry is a new attempt with its own task_started.
	if asked.Kind != contracts.DecisionRetry {
		task.Status, task.BlockedReason = contracts.TaskInProgress, ""
	}
	task.UpdatedAt = ts
	return task.ProjectID
}

// forgetClosedAsks drops all but the newest LimitClosedAsks closed questions that have no project;
// the ledger keeps all of them.
func (r *Rows) forgetClosedAsks() {
	closed := func(d *contracts.Decision) bool { return d.ProjectID == "" && d.Status != contracts.DecisionOpen }
	count := 0
	for i := range r.Decisions {
		if closed(&r.Decisions[i]) {
			count++
		}
	}
	for over := count - contracts.LimitClosedAsks; over > 0; over-- {
		at := slices.IndexFunc(r.Decisions, func(d contracts.Decision) bool { return closed(&d) })
		r.Decisions = slices.Delete(r.Decisions, at, at+1)
	}
}

// foldArtifact applies an event about one version of a deliverable, and returns the project whose
// status may change, if any.
func (r *Rows) foldArtifact(e *contracts.Event, ts int64) string {
	if e.Name == contracts.EventArtifactCreated {
		if e.Artifact != nil {
			r.Artifacts = put(r.Artifacts, *e.Artifact, artifactID)
			if parent := r.Artifact(e.Artifact.Parent); parent != nil {
				parent.Status = contracts.ArtifactSuperseded
			}
		}
		return ""
	}
	a := r.Artifact(e.ArtifactID)
	if a == nil {
		return ""
	}
	task := r.Task(a.TaskID)
	switch e.Name {
	case contracts.EventArtifactDelivered:
		a.Status, a.POIID = contracts.ArtifactDelivered, e.POIID
	case contracts.EventReviewRequested:
		a.Status = contracts.ArtifactInReview
		if task != nil {
			r.release(task)
			task.Status, task.Percent = contracts.TaskReview, 100
		}
	case contracts.EventReviewApproved:
		a.Status = contracts.ArtifactApproved
	case contracts.EventReviewChangesRequested:
		a.Status = contracts.ArtifactChangesRequested
		if task != nil && task.Status == contracts.TaskDone { // a check on its pull request failed
			task.Status = contracts.TaskReview
		}
	}
	if task == nil {
		return ""
	}
	task.UpdatedAt = ts
	return task.ProjectID
}

// foldReview replaces an agent's review of a patch with the new state of that review.
func (r *Rows) foldReview(e *contracts.Event) {
	a := r.Artifact(e.ArtifactID)
	if a == nil || e.Review == nil {
		return
	}
	others := slices.DeleteFunc(slices.Clone(a.Reviews), func(v contracts.Review) bool { return v.AgentID == e.Review.AgentID })
	a.Reviews = append(others, *e.Review)
}
