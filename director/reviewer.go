package director

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// assignReviewIfNeeded asks another agent to review a delivered patch, if the configuration or the
// task requires it.
func (a *act) assignReviewIfNeeded(art *contracts.Artifact) {
	mode := cmp.Or(a.cfg.Reviews, contracts.ReviewAuto)
	if needsReview(a.w.Task(art.TaskID)) {
		mode = contracts.ReviewAlways
	}
	if mode == contracts.ReviewOff || !isPatch(art) {
		return
	}
	ag, difference := a.reviewerOf(art)
	switch {
	case ag == nil:
		a.emitReview(art, contracts.EventReviewFailed, contracts.Review{Status: contracts.ReviewFailed, Reason: "no other agent can review it"}, "No second opinion")
	case mode == contracts.ReviewAlways || difference != "" || a.scripted(ag):
		a.assignReview(art, ag, difference)
	}
}

func isPatch(art *contracts.Artifact) bool {
	return art.Type == contracts.ArtifactPatch && art.Tree != ""
}

// reviewerOf returns the agent that should review a patch, and how it differs from the author. It
// prefers an agent from another vendor, then an agent with another model, then the agent whose role
// fits best. It returns nil if no agent can review the patch.
func (a *act) reviewerOf(art *contracts.Artifact) (best *world.Agent, difference contracts.ReviewDifference) {
	weight := map[contracts.ReviewDifference]int{contracts.DiffersVendor: 20, contracts.DiffersModel: 10}
	top := -1
	for _, ag := range a.w.Agents() {
		if a.reviewRefusal(ag, art) != nil || a.scripted(ag) && !a.scripted(a.w.Agent(art.CreatedBy)) {
			continue // scripted agents do not review real work
		}
		how := a.reviewDifference(ag, a.w.Agent(art.CreatedBy))
		if score := weight[how] + fit[contracts.KindReview][ag.Role]; score > top {
			best, difference, top = ag, how, score
		}
	}
	return best, difference
}

// reviewRefusal returns a refusal unless an agent can review a patch.
func (a *act) reviewRefusal(ag *world.Agent, art *contracts.Artifact) *contracts.Refusal {
	reviewed := slices.ContainsFunc(art.Reviews, func(r contracts.Review) bool {
		return r.AgentID == ag.AgentID && r.Status != contracts.ReviewFailed
	})
	switch {
	case ag.Guest():
		return contracts.Refuse(contracts.CodeNotAllowed, "%s is a guest and can only be watched here; choose a crew member", ag.Name)
	case ag.Role == contracts.RoleBD:
		return contracts.Refuse(contracts.CodeNotAllowed, "%s leads the office and does not review patches; choose another agent", ag.Name)
	case a.w.WorkedOn(ag.AgentID, art):
		return contracts.Refuse(contracts.CodeNotAllowed, "%s worked on %q, and nobody reviews their own work; choose another agent", ag.Name, art.Title)
	case ag.Goal.State == contracts.StateOffline:
		return contracts.Refuse(contracts.CodeConflict, "%s is offline; choose another agent", ag.Name)
	case reviewed:
		return contracts.Refuse(contracts.CodeConflict, "%s has already been asked to review %q version %d; choose another agent", ag.Name, art.Title, art.Version)
	}
	return nil
}

// reviewDifference returns how a reviewer differs from the author, or "" if they do not differ or
// the author has left.
func (a *act) reviewDifference(ag, author *world.Agent) contracts.ReviewDifference {
	if author == nil {
		return ""
	}
	vendor, model := a.runsOn(ag)
	authorVendor, authorModel := a.runsOn(author)
	switch {
	case vendor != authorVendor:
		return contracts.DiffersVendor
	case model != authorModel:
		return contracts.DiffersModel
	}
	return ""
}

func (a *act) runsOn(ag *world.Agent) (vendor, model string) {
	if a.cfg.RunsOn == nil {
		return ag.Runner, ag.Model
	}
	return a.cfg.RunsOn(ag.AgentProfile)
}

// scripted reports whether an agent follows a script and uses no model.
func (a *act) scripted(ag *world.Agent) bool {
	if ag == nil {
		return false
	}
	vendor, _ := a.runsOn(ag)
	return a.cfg.Sources.Of(vendor).Scripted
}

// askReview lets a person choose a reviewer, or ask for one more review.
func (a *act) askReview(c contracts.AskReview) (contracts.Result, *contracts.Refusal) {
	art, refusal := a.reviewable(c.ArtifactID, "")
	switch {
	case refusal != nil:
		return contracts.Result{}, refusal
	case !isPatch(art):
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "%q is not a patch; agents review only patches", art.Title)
	case art.Status != contracts.ArtifactInReview:
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "%q is still on its way to the shelf; try again in a moment", art.Title)
	case len(art.Reviews) >= contracts.LimitReviews:
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "%q version %d already has %d reviews, which is the limit", art.Title, art.Version, len(art.Reviews))
	}
	ag, difference := a.reviewerOf(art)
	if c.AgentID != "" {
		if ag, refusal = a.agent(c.AgentID); refusal == nil {
			refusal = a.reviewRefusal(ag, art)
		}
		if refusal != nil {
			return contracts.Result{}, refusal
		}
		difference = a.reviewDifference(ag, a.w.Agent(art.CreatedBy))
	}
	if ag == nil {
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "no other agent can review %q; add one to the crew", art.Title)
	}
	a.assignReview(art, ag, difference)
	return contracts.Result{ArtifactID: art.ArtifactID, Assignments: []contracts.Assignment{{TaskID: art.TaskID, AgentID: ag.AgentID}}}, nil
}

func (a *act) assignReview(art *contracts.Artifact, ag *world.Agent, difference contracts.ReviewDifference) {
	a.emitReview(art, contracts.EventReviewAssigned, contracts.Review{AgentID: ag.AgentID, Status: contracts.ReviewAsked, Differs: difference}, ag.Name+" was asked to review it")
}

// reviewReady records an agent's review of a patch.
func (a *act) reviewReady(f contracts.ReviewReady) *contracts.Refusal {
	art, r, refusal := a.findOpenReview(f.ArtifactID, f.AgentID)
	if refusal != nil || art == nil {
		return refusal
	}
	if n := len(f.Findings); n > contracts.LimitFindings {
		return contracts.RefuseField("findings", "a review can have at most %d findings, not %d", contracts.LimitFindings, n)
	}
	r.Findings = slices.Clone(f.Findings)
	for i := range r.Findings {
		r.Findings[i].Text = contracts.CleanText(r.Findings[i].Text)
		if problem := r.Findings[i].InvalidReason(); problem != "" {
			return contracts.RefuseField(fmt.Sprintf("findings[%d]", i), "finding %d: %s", i+1, problem)
		}
	}
	r.Status, r.Rehearsal, r.Summary = contracts.ReviewCommented, f.Rehearsal, contracts.Clip(contracts.CleanText(f.Summary), contracts.LimitReviewSummary)
	found := "no findings"
	if n := len(r.Findings); n > 0 {
		found = count(n, "finding")
	}
	a.emitReview(art, contracts.EventReviewCommented, r, fmt.Sprintf("%s reviewed it: %s", a.w.Agent(f.AgentID).Name, found))
	return nil
}

// reviewBroke records that an agent could not review a patch.
func (a *act) reviewBroke(f contracts.ReviewBroke) *contracts.Refusal {
	art, r, refusal := a.findOpenReview(f.ArtifactID, f.AgentID)
	if refusal != nil || art == nil {
		return refusal
	}
	r.Status, r.Reason = contracts.ReviewFailed, contracts.Clip(contracts.CleanText(f.Reason), contracts.LimitNote)
	a.emitReview(art, contracts.EventReviewFailed, r, a.w.Agent(f.AgentID).Name+" could not review it")
	return nil
}

// findOpenReview returns the patch and the open review that an agent was asked for. If that review
// has already ended, the reported fact is a repetition, and findOpenReview returns a nil patch
// without a refusal.
func (a *act) findOpenReview(artifactID, agentID string) (*contracts.Artifact, contracts.Review, *contracts.Refusal) {
	art := a.w.Artifact(artifactID)
	if art == nil {
		return nil, contracts.Review{}, a.noArtifact(artifactID)
	}
	i := slices.IndexFunc(art.Reviews, func(r contracts.Review) bool { return r.AgentID == agentID && agentID != "" })
	switch {
	case i < 0 || a.w.Agent(agentID) == nil:
		return nil, contracts.Review{}, contracts.Refuse(contracts.CodeConflict, "%s was not asked to review %s", agentID, artifactID)
	case art.Reviews[i].Status != contracts.ReviewAsked:
		return nil, contracts.Review{}, nil
	case art.Status != contracts.ArtifactInReview:
		return nil, contracts.Review{}, contracts.Refuse(contracts.CodeConflict, "%s is %s and no longer needs a review", artifactID, art.Status)
	}
	return art, art.Reviews[i], nil
}

func (a *act) emitReview(art *contracts.Artifact, name contracts.EventName, r contracts.Review, title string) {
	a.emit(&contracts.Event{Name: name, ProjectID: art.ProjectID, TaskID: art.TaskID, AgentID: r.AgentID, ArtifactID: art.ArtifactID, Review: &r, By: a.caller.By, Via: a.caller.Via,
		Meta: &contracts.Meta{Title: title, Summary: contracts.Clip(contracts.CleanLine(cmp.Or(r.Summary, r.Reason, art.Title)), contracts.LimitPreview)}})
}

// withFindings returns instructions for changes, followed by the findings of the patch's reviewers.
func withFindings(instructions string, art *contracts.Artifact) string {
	var lines []string
	for _, r := range art.Reviews {
		for _, f := range r.Findings {
			lines = append(lines, f.String())
		}
	}
	if len(lines) == 0 {
		return instructions
	}
	return instructions + "\n\nReviewers' findings:\n" + strings.Join(lines, "\n")
}
