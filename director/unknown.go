package director

import (
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// limitChoices is the maximum number of existing ids that a refusal suggests.
const limitChoices = 5

func (a *act) noProject(id string) *contracts.Refusal {
	var known []string
	for _, p := range a.w.Projects() {
		known = append(known, p.ProjectID)
	}
	return unknown("project", id, "known", known)
}

func (a *act) noTask(id string) *contracts.Refusal {
	var open []string
	for _, t := range a.w.Tasks() {
		if !t.Status.Final() {
			open = append(open, t.TaskID)
		}
	}
	return unknown("task", id, "open", open)
}

func (a *act) noAgent(id string) *contracts.Refusal {
	var here []string
	for _, ag := range a.w.Agents() {
		here = append(here, ag.AgentID)
	}
	return unknown("agent", id, "in the office", here)
}

func (a *act) noQuestion(id string) *contracts.Refusal {
	var open []string
	for _, d := range a.w.Decisions() {
		if d.Status == contracts.DecisionOpen {
			open = append(open, d.DecisionID)
		}
	}
	return unknown("question", id, "open", open)
}

func (a *act) noArtifact(id string) *contracts.Refusal {
	var waiting []string
	for _, art := range a.w.Artifacts() {
		if art.Status == contracts.ArtifactDelivered || art.Status == contracts.ArtifactInReview {
			waiting = append(waiting, art.ArtifactID)
		}
	}
	return unknown("artifact", id, "waiting for review", waiting)
}

// unknown returns a refusal for an id that does not exist. It suggests the newest of ids, which are
// sorted oldest first; label describes what the ids have in common.
func unknown(noun, id, label string, ids []string) *contracts.Refusal {
	if len(ids) == 0 {
		return contracts.Refuse(contracts.CodeNotFound, "no %s %q (none is %s)", noun, id, label)
	}
	more := ""
	if extra := len(ids) - limitChoices; extra > 0 {
		ids, more = ids[extra:], fmt.Sprintf(" and %d more", extra)
	}
	return contracts.Refuse(contracts.CodeNotFound, "no %s %q (%s: %s%s)", noun, id, label, strings.Join(ids, ", "), more)
}
