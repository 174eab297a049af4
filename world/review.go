package world

import (
	"fmt"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// WorkedOn reports whether an agent started an attempt at the artifact's task, or delivered a
// version of the artifact.
func (w *World) WorkedOn(agentID string, art *contracts.Artifact) bool {
	if t := w.tasks[art.TaskID]; t != nil && slices.Contains(t.Workers, agentID) {
		return true
	}
	return slices.ContainsFunc(w.s.Artifacts, func(o *contracts.Artifact) bool {
		return o.CreatedBy == agentID && (o.TaskID == art.TaskID || o.ArtifactID == art.ArtifactID)
	})
}

// foldReview records an agent's review of an artifact, and replaces that agent's earlier review.
func (w *World) foldReview(e *contracts.Event, ts int64) error {
	a, err := find(w.artifacts, e.ArtifactID)
	if err != nil {
		return err
	}
	if e.Review == nil {
		return fmt.Errorf("%s has no review", e.Name)
	}
	a.Reviews = slices.DeleteFunc(slices.Clone(a.Reviews), func(r contracts.Review) bool { return r.AgentID == e.Review.AgentID })
	a.Reviews = append(a.Reviews, *e.Review)
	w.addReviewResult(a, e.Review, ts)
	return nil
}

// reviewWork returns the requested reviews that are still useful, because their patches are still
// waiting for a person's decision.
func (w *World) reviewWork() (out []contracts.Work) {
	for _, art := range w.s.Artifacts {
		if art.Status != contracts.ArtifactInReview {
			continue
		}
		for _, r := range art.Reviews {
			p, t := w.projects[art.ProjectID], w.tasks[art.TaskID]
			if r.Status != contracts.ReviewAsked || w.agents[r.AgentID] == nil || t == nil || p.Paused {
				continue
			}
			out = append(out, contracts.Work{
				Key: w.keyOf(fmt.Sprintf("review:%s:%s", art.ArtifactID, r.AgentID), r.AgentID), AgentID: r.AgentID, Runner: w.runnerOf(r.AgentID), Session: w.sessionOf(r.AgentID),
				Project: w.ProjectRow(p), Repo: w.repoOf(p), Review: &contracts.ReviewWork{Artifact: *art, Task: w.TaskRow(t)},
			})
		}
	}
	return out
}
