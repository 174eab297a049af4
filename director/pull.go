package director

import (
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// pullOpened records that a landing has an open pull request or, for a dry run, could get one.
func (a *act) pullOpened(f contracts.PullOpened) *contracts.Refusal {
	t, refusal := a.findOpenLanding(f.TaskID, f.Number)
	if refusal != nil || t == nil || t.Landing.Status == contracts.LandOpen {
		return refusal
	}
	l, p := *t.Landing, f.Pull
	p.Remote = contracts.Clip(contracts.CleanLine(p.Remote), contracts.LimitNote)
	switch {
	case l.How != contracts.LandPull:
		return contracts.Refuse(contracts.CodeConflict, "%s is landed by %s, not by a pull request", t.TaskID, l.How)
	case p.URL == "" && !l.DryRun || p.URL != "" && !strings.HasPrefix(p.URL, "https://") || p.URL != contracts.CleanLine(p.URL) || len(p.URL) > contracts.LimitPullURL:
		return contracts.RefuseField("pull_request.url", "the address of a pull request must start with https:// and be at most %d bytes long", contracts.LimitPullURL)
	case p.Head != "" && !contracts.IsObjectID(p.Head) || p.Head == "" && !l.DryRun:
		return contracts.RefuseField("pull_request.head", "an open pull request must name its commit")
	}
	l.Pull = &p
	l.Status = contracts.LandOpen
	e := &contracts.Event{Name: contracts.EventLandingOpened, ProjectID: t.ProjectID, TaskID: t.TaskID, AgentID: t.Assignee, Landing: &l,
		Meta: &contracts.Meta{Title: "Pull request open", Summary: p.URL}}
	if l.DryRun {
		l.Status = contracts.LandChecked
		e.Name, e.Meta = contracts.EventLandingChecked, &contracts.Meta{Title: "Can become a pull request", Summary: p.Remote}
	}
	a.emit(e)
	return nil
}

// hostedCheckRan records the result of a check that the git host of the task's pull request ran on
// the pushed files.
func (a *act) hostedCheckRan(t *world.Task, f contracts.CheckRan) *contracts.Refusal {
	r, l := f.Result, t.Landing
	r.Name = contracts.Clip(contracts.CleanLine(r.Name), contracts.LimitName)
	others := 0
	for _, o := range t.Results {
		if o.Hosted() && o.Tree == r.Tree && o.Name != r.Name {
			others++
		}
	}
	switch {
	case l == nil || l.Pull == nil || l.Pull.URL == "" || l.Pull.URL != r.Command || l.Tree != r.Tree:
		return contracts.RefuseField("result", "%s has no pull request %s with these files", t.TaskID, r.Command)
	case r.Name == "":
		return contracts.RefuseField("result.name", "a check must have a name")
	case others >= contracts.LimitChecks:
		return contracts.Refuse(contracts.CodeConflict, "the pull request of %s has more than %d checks", t.TaskID, contracts.LimitChecks)
	}
	f.Result = r
	a.checkFinished(t, f)
	return nil
}

// pullFailed sends the work of a task back to its agent, with the output of the checks that failed
// on its open pull request. It notifies a person instead if that has already happened
// contracts.LimitCheckRounds times, or if the task's files have changed since they were pushed. It
// acts once for each landing.
func (a *act) pullFailed(f contracts.PullFailed) *contracts.Refusal {
	t, refusal := a.findOpenLanding(f.TaskID, f.Number)
	if refusal != nil || t == nil || t.Landing.Reason != "" {
		return refusal
	}
	names := contracts.Clip(contracts.CleanLine(strings.Join(f.Checks, ", ")), contracts.LimitPreview)
	report := contracts.Clip(contracts.CleanText(f.Report), contracts.LimitText)
	switch {
	case t.Landing.Status != contracts.LandOpen:
		return contracts.Refuse(contracts.CodeConflict, "%s has no open pull request", t.TaskID)
	case contracts.Blank(names) || contracts.Blank(report):
		return contracts.RefuseField("checks", "name the checks that failed, and report their output")
	}
	l := *t.Landing
	l.Reason = "pull request checks failed: " + names
	a.emit(&contracts.Event{Name: contracts.EventLandingOpened, ProjectID: t.ProjectID, TaskID: t.TaskID, AgentID: t.Assignee, Landing: &l,
		Meta: &contracts.Meta{Title: "Pull request checks failed", Summary: names}})
	patch := a.approvedPatch(t)
	if patch == nil || t.Status != contracts.TaskDone || t.Tree != l.Tree || t.Returns >= contracts.LimitCheckRounds {
		a.bdSays(a.w.Project(t.ProjectID), fmt.Sprintf("Pull request checks for “%s” failed: %s. I did not send the task back again, so please have a look: %s", t.Title, names, l.Pull.URL))
		return nil
	}
	a.emit(&contracts.Event{Name: contracts.EventReviewChangesRequested, ProjectID: t.ProjectID, TaskID: t.TaskID, ArtifactID: patch.ArtifactID, AgentID: patch.CreatedBy,
		Instructions: report, By: contracts.ByPullRequest, Meta: &contracts.Meta{Title: "Changes requested", Summary: contracts.Clip(l.Reason, contracts.LimitPreview)}})
	return nil
}

// approvedPatch returns the newest patch that a person approved for a task, or nil if there is
// none.
func (a *act) approvedPatch(t *world.Task) (patch *contracts.Artifact) {
	for _, art := range a.w.TaskArtifacts(t.TaskID, contracts.ArtifactApproved) {
		if isPatch(art) {
			patch = art
		}
	}
	return patch
}
