package director

import (
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

func (a *act) noProject(id string) *contracts.Refusal {
	var known []string
	for _, p := range a.w.Projects() {
		known = append(known, p.ProjectID)
	}
	return contracts.RefuseUnknown("project", id, "known", known)
}

func (a *act) noTask(id string) *contracts.Refusal {
	var open []string
	for _, t := range a.w.Tasks() {
		if !t.Status.Final() {
			open = append(open, t.TaskID)
		}
	}
	return contracts.RefuseUnknown("task", id, "open", open)
}

func (a *act) noAgent(id string) *contracts.Refusal {
	var here []string
	for _, ag := range a.w.Agents() {
		here = append(here, ag.AgentID)
	}
	return contracts.RefuseUnknown("agent", id, "in the office", here)
}

func (a *act) noQuestion(id string) *contracts.Refusal {
	var open []string
	for _, d := range a.w.Decisions() {
		if d.Status == contracts.DecisionOpen {
			open = append(open, d.DecisionID)
		}
	}
	return contracts.RefuseUnknown("question", id, "open", open)
}

func (a *act) noArtifact(id string) *contracts.Refusal {
	var waiting []string
	for _, art := range a.w.Artifacts() {
		if art.Status == contracts.ArtifactDelivered || art.Status == contracts.ArtifactInReview {
			waiting = append(waiting, art.ArtifactID)
		}
	}
	return contracts.RefuseUnknown("deliverable", id, "waiting for review", waiting)
}

// taskStatus returns a task's status for use in a sentence.
func taskStatus(t *world.Task) string { return strings.ToLower(contracts.TaskStatusWords[t.Status]) }
