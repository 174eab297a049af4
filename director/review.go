package director

import (
	"cmp"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// reviewable returns the artifact with the given id if it is waiting for review, otherwise a
// refusal.
func (a *act) reviewable(id string, expected contracts.ArtifactStatus) (*contracts.Artifact, *contracts.Refusal) {
	art := a.w.Artifact(id)
	if art == nil {
		return nil, a.noArtifact(id)
	}
	if refusal := expect("payload.data.expected_artifact_status", expected, art.Status); refusal != nil {
		return nil, refusal
	}
	switch art.Status {
	case contracts.ArtifactDelivered, contracts.ArtifactInReview:
		return art, nil
	case contracts.ArtifactApproved:
		return nil, contracts.Refuse(contracts.CodeConflict, "%q version %d is already approved", art.Title, art.Version)
	case contracts.ArtifactChangesRequested:
		return nil, contracts.Refuse(contracts.CodeConflict, "changes to %q version %d are already requested; wait for the next version", art.Title, art.Version)
	case contracts.ArtifactSuperseded:
		return nil, contracts.Refuse(contracts.CodeConflict, "%q version %d was replaced by a newer version; review that one", art.Title, art.Version)
	}
	return nil, contracts.Refuse(contracts.CodeConflict, "%q version %d is still on its way to the shelf; try again in a moment", art.Title, art.Version)
}

// approvable returns the artifact with the given id if the caller can approve it now, otherwise a
// refusal. Approved files of a repository can be landed, so a patch needs the operator credential:
// without it, an agent that can connect to the office could approve its own work.
func (a *act) approvable(id string, expected contracts.ArtifactStatus) (*contracts.Artifact, *contracts.Refusal) {
	art, refusal := a.reviewable(id, expected)
	if refusal == nil && art.Tree != "" && !a.caller.Permit {
		return nil, contracts.RefuseWithoutOperator("approving a patch")
	}
	return art, refusal
}

func (a *act) approveArtifact(c contracts.ApproveArtifact) (contracts.Result, *contracts.Refusal) {
	art, refusal := a.approvable(c.ArtifactID, c.ExpectedArtifactStatus)
	if refusal != nil {
		return contracts.Result{}, refusal
	}
	a.approve(art)
	a.finishIfApproved(a.w.Task(art.TaskID))
	return contracts.Result{ArtifactID: art.ArtifactID}, nil
}

func (a *act) approve(art *contracts.Artifact) {
	a.emit(&contracts.Event{Name: contracts.EventReviewApproved, ProjectID: art.ProjectID, TaskID: art.TaskID, ArtifactID: art.ArtifactID,
		By: a.caller.By, Via: a.caller.Via, Meta: &contracts.Meta{Title: "Approved", Summary: art.Title}})
}

// finishIfApproved ends a task once none of its artifacts is waiting for review or rework.
func (a *act) finishIfApproved(t *world.Task) {
	open := a.w.TaskArtifacts(t.TaskID, contracts.ArtifactCreated, contracts.ArtifactDelivered, contracts.ArtifactInReview, contracts.ArtifactChangesRequested)
	if len(open) == 0 && t.Status == contracts.TaskReview {
		a.emit(&contracts.Event{Name: contracts.EventTaskDone, ProjectID: t.ProjectID, TaskID: t.TaskID, AgentID: t.Assignee,
			Meta: &contracts.Meta{Title: "Task done", Summary: t.Title}})
	}
}

func (a *act) requestChanges(c contracts.RequestChanges) (contracts.Result, *contracts.Refusal) {
	art, refusal := a.reviewable(c.ArtifactID, c.ExpectedArtifactStatus)
	if refusal != nil {
		return contracts.Result{}, refusal
	}
	if t := a.w.Task(art.TaskID); t.Status != contracts.TaskReview {
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "task %q is being worked on again; wait for the new version", t.Title)
	}
	instructions := c.Instructions
	if c.WithFindings {
		instructions = withFindings(instructions, art)
	}
	a.emit(&contracts.Event{Name: contracts.EventReviewChangesRequested, ProjectID: art.ProjectID, TaskID: art.TaskID, ArtifactID: art.ArtifactID,
		AgentID: art.CreatedBy, Instructions: instructions, By: a.caller.By, Via: a.caller.Via,
		Meta: &contracts.Meta{Title: "Changes requested", Summary: contracts.Clip(c.Instructions, contracts.LimitPreview)}})
	return contracts.Result{ArtifactID: art.ArtifactID, TaskIDs: []string{art.TaskID}}, nil
}

func (a *act) splitIntoTasks(c contracts.SplitIntoTasks) (contracts.Result, *contracts.Refusal) {
	art, refusal := a.approvable(c.ArtifactID, c.ExpectedArtifactStatus)
	if refusal != nil {
		return contracts.Result{}, refusal
	}
	p := a.w.Project(art.ProjectID)
	if refusal := a.taskLimitRefusal(p, len(c.TaskTitles)); refusal != nil {
		return contracts.Result{}, refusal
	}
	source := a.w.Task(art.TaskID)
	drafts := make([]contracts.TaskDraft, len(c.TaskTitles))
	for i, title := range c.TaskTitles {
		drafts[i] = contracts.TaskDraft{Title: title, Kind: source.Kind, Description: fmt.Sprintf("Follow-up to “%s”.", art.Title)}
	}
	a.approve(art)
	a.createTasks(p, drafts, taskOrigin{splitFrom: art.ArtifactID}, &contracts.Meta{Title: "Split into tasks", Summary: art.Title})
	ids := a.lastTaskIDs(len(drafts))
	a.finishIfApproved(source)
	return contracts.Result{ProjectID: p.ProjectID, ArtifactID: art.ArtifactID, TaskIDs: ids}, nil
}

// createArtifacts records a run's artifacts. The nth artifact replaces the nth version that was
// sent back for changes.
func (a *act) createArtifacts(t *world.Task, f contracts.RunDelivered) {
	replaced := a.w.TaskArtifacts(t.TaskID, contracts.ArtifactChangesRequested)
	for i, draft := range f.Artifacts {
		art := contracts.Artifact{Title: contracts.CleanLine(draft.Title), Rehearsal: f.Rehearsal}
		if i < len(replaced) {
			art.Parent, art.Version = replaced[i].ArtifactID, replaced[i].Version
		}
		a.createArtifact(t, draft, art)
	}
}

// createArtifact records draft as an artifact with art's title, parent and rehearsal flag, and with
// the next version number.
func (a *act) createArtifact(t *world.Task, draft contracts.ArtifactDraft, art contracts.Artifact) {
	art.ArtifactID, art.ProjectID, art.TaskID = fmt.Sprintf("art_a%d", a.w.Made().Artifacts+1), t.ProjectID, t.TaskID
	art.Type, art.Status, art.CreatedBy = contracts.CleanLine(draft.Type), contracts.ArtifactCreated, t.Assignee
	art.MIME, art.Bytes, art.SHA256 = draft.MIME, draft.Bytes, draft.SHA256
	art.Tree, art.Base, art.Stat = draft.Tree, draft.Base, draft.Stat
	art.Version++
	a.emitKeyed("art/"+art.ArtifactID, &contracts.Event{
		Name: contracts.EventArtifactCreated, ProjectID: t.ProjectID, TaskID: t.TaskID, AgentID: t.Assignee,
		ArtifactID: art.ArtifactID, Artifact: &art,
		Meta: &contracts.Meta{Title: fmt.Sprintf("%s, version %d", art.Title, art.Version)},
	})
}

// deliver puts the agent's new artifacts on the delivery shelf and requests a review of them.
func (a *act) deliver(t *world.Task, ag *world.Agent) {
	a.putOnShelf(t, func(art *contracts.Artifact) string {
		return fmt.Sprintf("%s put “%s” (version %d) on the delivery shelf. Have a look?", ag.Name, art.Title, art.Version)
	})
}

// redeliver delivers a new version of an approved patch after new commits from the target branch
// were merged into it, so that a person approves exactly the files that are landed.
func (a *act) redeliver(t *world.Task, draft contracts.ArtifactDraft) {
	old := a.approvedPatch(t)
	if old == nil {
		return
	}
	a.createArtifact(t, draft, contracts.Artifact{Title: old.Title, Parent: old.ArtifactID, Version: old.Version, Rehearsal: old.Rehearsal})
	a.putOnShelf(t, func(art *contracts.Artifact) string {
		return fmt.Sprintf("%s had new commits; “%s” (version %d) now includes them. Have a look?", cmp.Or(t.Landing.Target, "The target branch"), art.Title, art.Version)
	})
}

// putOnShelf puts a task's new artifacts on the delivery shelf and asks for their review.
func (a *act) putOnShelf(t *world.Task, says func(*contracts.Artifact) string) {
	shelf := a.poi(contracts.POIDeliveryShelf).POIID
	for _, art := range a.w.TaskArtifacts(t.TaskID, contracts.ArtifactCreated) {
		a.emit(&contracts.Event{Name: contracts.EventArtifactDelivered, ProjectID: t.ProjectID, TaskID: t.TaskID, AgentID: t.Assignee,
			ArtifactID: art.ArtifactID, POIID: shelf, Meta: &contracts.Meta{Title: "Delivered", Summary: art.Title}})
	}
	for _, art := range a.w.TaskArtifacts(t.TaskID, contracts.ArtifactDelivered) {
		a.emit(&contracts.Event{Name: contracts.EventReviewRequested, ProjectID: t.ProjectID, TaskID: t.TaskID, AgentID: t.Assignee,
			ArtifactID: art.ArtifactID, POIID: shelf, Meta: &contracts.Meta{Title: "Please review", Summary: art.Title}})
		a.bdSays(a.w.Project(t.ProjectID), says(art), contracts.SuggestedAction{Action: "open_artifact", Label: "Open it", ArtifactID: art.ArtifactID})
		a.assignReviewIfNeeded(art)
	}
}
