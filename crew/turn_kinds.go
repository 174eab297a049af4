package crew

import (
	"context"
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/activity"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

func (t *turn) runPlan() {
	p := t.work.Project
	plan, err := perform(t, "Plan: "+p.Title, func(ctx context.Context) (Plan, error) {
		return t.runner.Plan(ctx, PlanJob{AgentID: t.work.AgentID, Session: t.work.Session, Project: p}, t.sink)
	})
	if err == nil {
		err = CheckPlan(plan)
	}
	t.sink.finish(plan.Summary, err)
	if !t.reportable(err) {
		return
	}
	failed := func(reason string) contracts.Fact {
		return contracts.PlanReady{ProjectID: p.ProjectID, Tasks: []contracts.TaskDraft{wholeRequest(p)}, Reason: hud.Shorten(reason, contracts.LimitNote)}
	}
	if err != nil {
		t.log.Warn("planning failed; the request becomes one task", "error", err)
		t.last(failed(err.Error()), failed)
		return
	}
	t.last(contracts.PlanReady{ProjectID: p.ProjectID, Summary: plan.Summary, Tasks: plan.Tasks}, failed)
}

// wholeRequest is the plan when there is none.
func wholeRequest(p contracts.Project) contracts.TaskDraft {
	title := p.Title
	if title == "" {
		title = p.Request
	}
	return contracts.TaskDraft{
		Title: hud.Shorten(title, contracts.LimitTaskTitle), Description: p.Request, Kind: contracts.KindPlan, Priority: 1,
	}
}

func (t *turn) runTask() {
	w := *t.work.Task
	task := w.Task
	t.record(t.ctx, contracts.RunBegan{TaskID: task.TaskID, Attempt: task.Attempt, Runner: t.name})
	if t.ctx.Err() != nil {
		return
	}
	res, err := perform(t, task.Title, func(ctx context.Context) (Result, error) {
		return t.runner.Work(ctx, TaskJob{AgentID: t.work.AgentID, Session: t.work.Session, Project: t.work.Project, TaskWork: w, Read: t.read}, t.sink)
	})
	if err == nil {
		err = CheckResult(res)
	}
	var drafts []contracts.ArtifactDraft
	if err == nil {
		drafts, err = t.store(res.Artifacts)
	}
	t.sink.finish(res.said(), err)
	if !t.reportable(err) {
		return
	}
	broke := func(reason string) contracts.Fact {
		return contracts.RunBroke{TaskID: task.TaskID, Attempt: task.Attempt, Reason: hud.Shorten(reason, contracts.LimitNote)}
	}
	if err != nil {
		t.log.Warn("a run broke", "error", err)
		t.last(broke(err.Error()), broke)
		return
	}
	t.last(t.taskFact(res, drafts), broke)
}

// taskFact is how the office gets to know the result of a turn at a task.
func (t *turn) taskFact(res Result, drafts []contracts.ArtifactDraft) contracts.Fact {
	task := t.work.Task.Task
	if res.Ask != nil {
		return contracts.RunAsked{
			TaskID: task.TaskID, Attempt: task.Attempt,
			Prompt: res.Ask.Prompt, Options: res.Ask.Options, AllowFreeText: res.Ask.AllowFreeText,
		}
	}
	if t.sink.metered {
		res.TokensIn, res.TokensOut, res.CostUSD = 0, 0, nil // counted already, with the model's name
	}
	return contracts.RunDelivered{
		TaskID: task.TaskID, Attempt: task.Attempt, Artifacts: drafts, FollowUps: res.FollowUps,
		TokensIn: res.TokensIn, TokensOut: res.TokensOut, CostUSD: res.CostUSD, Rehearsal: t.name == Rehearsal,
	}
}

// said is the result of a turn at a task in words: its question, or what it made.
func (r *Result) said() string {
	if r.Ask != nil {
		return r.Ask.Prompt
	}
	var titles []string
	for _, a := range r.Artifacts {
		titles = append(titles, a.Title)
	}
	if len(titles) == 0 {
		return ""
	}
	return "Delivered: " + strings.Join(titles, ", ")
}

// store makes the content durable before anything says that it exists.
func (t *turn) store(artifacts []Artifact) ([]contracts.ArtifactDraft, error) {
	var drafts []contracts.ArtifactDraft
	for _, a := range artifacts {
		var sha string
		err := activity.Insist(t.farewell, t.log, "an artifact", func(ctx context.Context) (err error) {
			sha, err = t.crew.Blobs.PutBlob(ctx, []byte(a.Content))
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("the artifact %q could not be stored: %w; run the task again", a.Title, err)
		}
		drafts = append(drafts, contracts.ArtifactDraft{Type: a.Type, Title: a.Title, MIME: a.MIME, Bytes: len(a.Content), SHA256: sha})
	}
	return drafts, nil
}

func (t *turn) read(ctx context.Context, a contracts.Artifact) (string, error) {
	b, ok, err := t.crew.Blobs.Blob(ctx, a.SHA256)
	if err != nil {
		return "", fmt.Errorf("read artifact %s: %w", a.ArtifactID, err)
	}
	if !ok {
		return "", fmt.Errorf("artifact %s has no stored content (%s): it was removed or never stored", a.ArtifactID, a.SHA256)
	}
	return string(b), nil
}

func (t *turn) runChat() {
	w := *t.work.Chat
	t.sink.Received(w.Chat.Text)
	reply, err := perform(t, "Answer: "+w.Chat.Text, func(ctx context.Context) (Reply, error) {
		return t.runner.Chat(ctx, ChatJob{AgentID: t.work.AgentID, Session: t.work.Session, ChatWork: w}, t.sink)
	})
	if err == nil {
		err = CheckReply(reply)
	}
	t.sink.finish(reply.Text, err)
	if !t.reportable(err) {
		return
	}
	said := func(r Reply) contracts.Fact {
		return contracts.ChatSaid{Chat: contracts.Chat{
			ThreadID: w.Chat.ThreadID, From: t.work.AgentID, To: w.Chat.From, Text: r.Text,
			SuggestedActions: r.SuggestedActions, ProjectID: r.ProjectID, AnswersSeq: w.Seq, Rehearsal: t.name == Rehearsal,
		}}
	}
	// A question without any answer looks like a broken office, so a failure is an
	// answer too.
	failed := func(reason string) contracts.Fact {
		return said(Reply{Text: hud.Shorten("I could not answer: "+reason, contracts.LimitChatText)})
	}
	if err != nil {
		t.log.Warn("a chat was not answered", "error", err)
		t.last(failed(err.Error()), failed)
		return
	}
	t.last(said(reply), failed)
}
