package director

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// Observe turns a fact into records. A fact about work that has ended is refused and changes
// nothing, so a worker may report the same fact again after a crash.
func (d *Director) Observe(w *world.World, now Now, fact contracts.Fact) (recs []contracts.Record, res contracts.Result, refusal *contracts.Refusal, err error) {
	a := d.act(w, now)
	recs, refusal, err = a.collect(func() (refusal *contracts.Refusal) {
		fact, refusal := a.fromOutpost(fact)
		if refusal != nil {
			return refusal
		}
		switch f := fact.(type) {
		case contracts.AskSeen:
			res, refusal = a.askSeen(f)
		case contracts.UISeen:
			res, refusal = a.uiSeen(f)
		default:
			refusal = a.observe(fact)
		}
		return refusal
	})
	return recs, res, refusal, err
}

// observe records a fact that has no result to return.
func (a *act) observe(fact contracts.Fact) *contracts.Refusal {
	switch f := fact.(type) {
	case contracts.PlanReady:
		return a.planReady(f)
	case contracts.RunBegan:
		return a.runBegan(f)
	case contracts.RunProgress:
		return a.runProgress(f)
	case contracts.RunAsked:
		return a.runAsked(f)
	case contracts.RunDelivered:
		return a.runDelivered(f)
	case contracts.RunBroke:
		return a.runBroke(f)
	case contracts.ChatSaid:
		return a.chatSaid(f)
	case contracts.HUDSeen:
		return a.hudSeen(f)
	case contracts.AgentSeen:
		return a.agentSeen(f)
	case contracts.AgentGone:
		return a.agentGone(f)
	case contracts.StatusSeen:
		return a.statusSeen(f)
	case contracts.AskWithdrawn:
		return a.askWithdrawn(f)
	case contracts.UsageSeen:
		return a.usageSeen(f)
	case contracts.Audited:
		return a.audited(f)
	case contracts.RepoSeen:
		return a.repoSeen(f)
	case contracts.TaskPrepared:
		return a.taskPrepared(f)
	case contracts.CheckRan:
		return a.checkRan(f)
	case contracts.TreeSeen:
		return a.treeSeen(f)
	case contracts.Landed:
		return a.landed(f)
	case contracts.PullOpened:
		return a.pullOpened(f)
	case contracts.PullFailed:
		return a.pullFailed(f)
	case contracts.LandingFailed:
		return a.landingFailed(f)
	case contracts.CollisionSeen:
		return a.collisionSeen(f)
	case contracts.ReviewReady:
		return a.reviewReady(f)
	case contracts.ReviewBroke:
		return a.reviewBroke(f)
	case contracts.NodeUp:
		return a.nodeUp(f)
	case contracts.NodeDown:
		return a.nodeDown(f)
	}
	return contracts.Refuse(contracts.CodeNotAllowed, "unknown fact type %T", fact)
}

func (a *act) planReady(f contracts.PlanReady) *contracts.Refusal {
	p, refusal := a.project(f.ProjectID)
	if refusal != nil {
		return refusal
	}
	if p.Kickoff != world.KickoffRunning || p.Proposal != nil {
		return contracts.Refuse(contracts.CodeConflict, "project %s is not waiting for a plan", f.ProjectID)
	}
	if n := len(f.Tasks); n == 0 || n > contracts.LimitTurnFollowUps {
		return contracts.RefuseField("tasks", "a plan must have 1 to %d tasks, not %d", contracts.LimitTurnFollowUps, n)
	}
	tasks, refusal := cleanDrafts(f.Tasks)
	if refusal != nil {
		return refusal
	}
	f.Tasks = tasks
	a.emitKeyed("plan/"+f.ProjectID, &contracts.Proposal{
		ProjectID: f.ProjectID, Summary: contracts.CleanText(f.Summary), Reason: contracts.CleanText(f.Reason), Tasks: f.Tasks,
	})
	return nil
}

// cleanDrafts returns a worker's proposed tasks with their text cleaned for display, or a refusal
// if a title or description is invalid.
func cleanDrafts(drafts []contracts.TaskDraft) ([]contracts.TaskDraft, *contracts.Refusal) {
	out := make([]contracts.TaskDraft, len(drafts))
	for i, d := range drafts {
		d.Title, d.Description = contracts.CleanLine(d.Title), contracts.CleanText(d.Description)
		if contracts.Blank(d.Title) || utf8.RuneCountInString(d.Title) > contracts.LimitTaskTitle {
			return nil, contracts.RefuseField(fmt.Sprintf("tasks.%d.title", i), "a task title must have 1 to %d characters", contracts.LimitTaskTitle)
		}
		if utf8.RuneCountInString(d.Description) > contracts.LimitText {
			return nil, contracts.RefuseField(fmt.Sprintf("tasks.%d.description", i), "a task description is limited to %d characters", contracts.LimitText)
		}
		out[i] = d
	}
	return out, nil
}

// attempt returns the task if the given attempt at it is still running, otherwise a refusal.
func (a *act) attempt(taskID string, attempt int) (*world.Task, *contracts.Refusal) {
	t, refusal := a.task(taskID)
	if refusal != nil {
		return nil, refusal
	}
	open := t.Run.Status == contracts.RunStarted || t.Run.Status == contracts.RunRunning
	if t.Status != contracts.TaskInProgress || t.Attempt != attempt || t.Run.Attempt != attempt || !open {
		return nil, contracts.Refuse(contracts.CodeConflict, "attempt %d at %s has ended", attempt, taskID)
	}
	return t, nil
}

func (a *act) runBegan(f contracts.RunBegan) *contracts.Refusal {
	t, refusal := a.attempt(f.TaskID, f.Attempt)
	if refusal != nil {
		return refusal
	}
	if t.Run.Status == contracts.RunRunning {
		return nil // the run continues after a restart or an answer
	}
	run := t.Run
	run.Status, run.Runner = contracts.RunRunning, f.Runner
	a.emit(&run)
	return nil
}

func (a *act) runProgress(f contracts.RunProgress) *contracts.Refusal {
	t, refusal := a.attempt(f.TaskID, f.Attempt)
	if refusal != nil {
		return refusal
	}
	if a.now.MS-t.ProgressAt < int64(contracts.ProgressInterval/time.Millisecond) {
		return nil // at most two per second; the next report supersedes this one
	}
	a.emit(&contracts.Event{Name: contracts.EventTaskProgress, ProjectID: t.ProjectID, TaskID: t.TaskID, AgentID: t.Assignee,
		Kind: string(t.Kind), Percent: max(t.Percent, min(max(f.Percent, 1), 99)), PreviewText: contracts.Clip(contracts.CleanLine(f.Preview), contracts.LimitPreview)})
	return nil
}

func (a *act) runAsked(f contracts.RunAsked) *contracts.Refusal {
	t, refusal := a.attempt(f.TaskID, f.Attempt)
	if refusal != nil {
		return refusal
	}
	prompt := contracts.CleanText(f.Prompt)
	options := make([]string, len(f.Options))
	for i, o := range f.Options {
		options[i] = strings.TrimSpace(contracts.CleanLine(o)) // trimmed as answers are, so that they match
	}
	if n := len(options); contracts.Blank(prompt) || slices.ContainsFunc(options, contracts.Blank) || n > contracts.LimitOptions || (n == 0 && !f.AllowFreeText) {
		return contracts.RefuseField("options", "a question needs a prompt, and 1 to %d options or free text", contracts.LimitOptions)
	}
	a.ask(t, contracts.Decision{Kind: contracts.DecisionQuestion, Prompt: prompt, Options: options, AllowFreeText: f.AllowFreeText}, "Waiting for your answer: "+prompt)
	return nil
}

func (a *act) runDelivered(f contracts.RunDelivered) *contracts.Refusal {
	t, refusal := a.attempt(f.TaskID, f.Attempt)
	if refusal != nil {
		return refusal
	}
	if n := len(f.Artifacts); n == 0 || n > contracts.LimitTurnArtifacts {
		return contracts.RefuseField("artifacts", "a run must deliver 1 to %d artifacts, not %d", contracts.LimitTurnArtifacts, n)
	}
	if sentBack := len(a.w.TaskArtifacts(t.TaskID, contracts.ArtifactChangesRequested)); len(f.Artifacts) < sentBack {
		return contracts.RefuseField("artifacts", "each artifact that was sent back for changes needs a new version: want %d, got %d", sentBack, len(f.Artifacts))
	}
	if len(f.FollowUps) > contracts.LimitTurnFollowUps {
		return contracts.RefuseField("follow_ups", "a run can propose at most %d follow-up tasks", contracts.LimitTurnFollowUps)
	}
	if refusal := patchRefusal(t, f.Artifacts); refusal != nil {
		return refusal
	}
	p := a.w.Project(t.ProjectID)
	followUps, refusal := cleanDrafts(f.FollowUps)
	if refusal != nil {
		return refusal
	}
	if refusal := a.taskLimitRefusal(p, len(followUps)); refusal != nil {
		return refusal
	}
	a.createArtifacts(t, f)
	if len(followUps) > 0 {
		a.createTasks(p, followUps, taskOrigin{}, &contracts.Meta{Title: "Follow-up tasks", Summary: t.Title})
	}
	run := t.Run
	run.Status, run.EndedAt = contracts.RunCompleted, a.now.MS
	run.TokensIn, run.TokensOut, run.CostUSD = f.TokensIn, f.TokensOut, f.CostUSD
	a.emit(&run)
	ag := a.w.Agent(t.Assignee)
	a.walk(ag, a.seatOrStand(ag, a.poi(contracts.POIDeliveryShelf)), intent{kind: contracts.GoalDeliver, state: contracts.StateDelivering, taskID: t.TaskID,
		why: fmt.Sprintf("Carrying “%s” to the delivery shelf.", f.Artifacts[0].Title)})
	return nil
}

func (a *act) runBroke(f contracts.RunBroke) *contracts.Refusal {
	t, refusal := a.attempt(f.TaskID, f.Attempt)
	if refusal != nil {
		return refusal
	}
	reason := contracts.Clip(contracts.CleanText(f.Reason), contracts.LimitNote)
	a.endRun(t, contracts.RunFailed, reason)
	a.offerRetry(t, reason)
	return nil
}

func (a *act) chatSaid(f contracts.ChatSaid) *contracts.Refusal {
	c := f.Chat
	asked, ok := a.w.UnansweredChat(c.AnswersSeq)
	if !ok || asked.To != c.From {
		return contracts.Refuse(contracts.CodeConflict, "message %d is not waiting for an answer from %s", c.AnswersSeq, c.From)
	}
	text := contracts.CleanText(c.Text)
	if contracts.Blank(text) {
		return contracts.RefuseField("text", "an answer needs text")
	}
	c.ThreadID, c.To, c.Text = asked.ThreadID, contracts.UserID, contracts.Clip(text, contracts.LimitText)
	a.emit(&c)
	return nil
}

func (a *act) hudSeen(f contracts.HUDSeen) *contracts.Refusal {
	h := f.HUD
	if h.UUID == "" {
		return contracts.RefuseField("id", "a HUD fact needs an id")
	}
	if h.AgentID != "" && a.w.Agent(h.AgentID) == nil {
		return a.noAgent(h.AgentID)
	}
	if h.Event.Starts() {
		owner := a.owner(h.Owner, f.Watch)
		if refusal := a.fence(owner); refusal != nil {
			return refusal
		}
		if h.Owner = ""; h.Event == contracts.HUDTurnStart || h.ParentID == "" {
			h.Owner = owner // a call in a turn has the owner of the turn
		}
		if h.Event == contracts.HUDTurnStart && h.Origin == "" && f.Watch != "" {
			h.Origin = contracts.OriginOutside
		}
	}
	h.Impact = a.impactOf(&h)
	a.emitKeyed(contracts.FactKey(f), &h)
	switch {
	case h.Event.Starts():
		a.limitOpen(&h)
	case h.Event == contracts.HUDTurnEnd:
		a.withdrawAsks(h.AgentID, h.CorrelationID)
	}
	return nil
}
