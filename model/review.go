package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// ReviewLine says in one line who reviewed a patch, what the reviewer runs on, and with what result, such
// as "Rae (codex, model-b, another vendor) reviewed it: 2 findings". If the task's files have changed since,
// it says so.
func (r *Rows) ReviewLine(art *contracts.Artifact, v contracts.Review) string {
	if v.AgentID == "" {
		return fmt.Sprintf(contracts.SayNotReviewed, Line(v.Reason))
	}
	who := r.reviewer(v)
	switch v.Status {
	case contracts.ReviewAsked:
		return fmt.Sprintf(contracts.SayReviewing, who)
	case contracts.ReviewFailed:
		return fmt.Sprintf(contracts.SayReviewFailed, who, Line(v.Reason))
	}
	found := contracts.SayNoFindings
	if n := len(v.Findings); n > 0 {
		found = contracts.SayFindings.Of(n)
	}
	if r.ReviewStale(art) {
		found = fmt.Sprintf(contracts.SayReviewStale, found)
	}
	return fmt.Sprintf(contracts.SayReviewed, who, found)
}

// ReviewStale reports whether the files of a patch are no longer the files of its task, so that its
// reviews are about older files.
func (r *Rows) ReviewStale(art *contracts.Artifact) bool {
	t := r.Task(art.TaskID)
	return t != nil && t.Tree != "" && art.Tree != "" && t.Tree != art.Tree
}

// CanAskReview reports whether an agent can probably be asked for a review of a patch: nobody is reviewing
// it now, and a crew member is free to do it who neither delivered a version of it nor reviewed this one. The
// office has the last word, because it also knows who worked on the task without delivering.
func (r *Rows) CanAskReview(art *contracts.Artifact) bool {
	if art.Type != contracts.ArtifactPatch || art.Tree == "" || art.Status != contracts.ArtifactInReview || len(art.Reviews) >= contracts.LimitReviews {
		return false
	}
	barred := map[string]bool{art.CreatedBy: true}
	for _, v := range art.Reviews {
		if v.Status == contracts.ReviewAsked {
			return false
		}
		barred[v.AgentID] = barred[v.AgentID] || v.Status == contracts.ReviewCommented
	}
	for _, o := range r.Artifacts {
		barred[o.CreatedBy] = barred[o.CreatedBy] || o.TaskID == art.TaskID
	}
	author := r.Agent(art.CreatedBy)
	scripted := author != nil && r.Sources.Of(author.Runner).Scripted // then a script may review it
	return slices.ContainsFunc(r.Agents, func(a contracts.Agent) bool {
		return !a.Guest() && a.Role != contracts.RoleBD && a.State != contracts.StateOffline && !barred[a.AgentID] && (scripted || !r.Sources.Of(a.Runner).Scripted)
	})
}

// reviewer returns the name of the agent that made a review, and what it runs on.
func (r *Rows) reviewer(v contracts.Review) string {
	var on []string
	if a := r.Agent(v.AgentID); a != nil {
		for _, word := range []string{a.Runner, a.Model} {
			if word != "" {
				on = append(on, Line(word))
			}
		}
	}
	switch v.Differs {
	case contracts.DiffersVendor:
		on = append(on, contracts.SayAnotherVendor)
	case contracts.DiffersModel:
		on = append(on, contracts.SayAnotherModel)
	}
	name := Line(r.Name(v.AgentID))
	if len(on) == 0 {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, strings.Join(on, ", "))
}
