package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// ReviewLine describes a review of a patch in one line, such as "Rae (codex, model-b, another
// vendor) reviewed it: 2 findings". The line names the reviewer, what the reviewer runs on, and the
// result. If the task's files have changed since the patch was made, the line says so.
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

// ReviewStale reports whether the task's files have changed since the patch was made, which means
// that reviews of the patch are about older files.
func (r *Rows) ReviewStale(art *contracts.Artifact) bool {
	t := r.Task(art.TaskID)
	return t != nil && t.Tree != "" && art.Tree != "" && t.Tree != art.Tree
}

// CanAskReview reports whether an agent can probably be asked to review a version of a patch. Among
// other conditions, this version must not have a pending review, and a crew member who has neither
// delivered a version of the patch nor reviewed this one must be online. The office makes the final
// decision, because it also records which agents worked on the task without delivering.
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
	scripted := author != nil && r.Sources.Of(author.Runner).Scripted // a scripted agent may review a scripted agent's patch
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
