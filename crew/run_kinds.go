package crew

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/turn"
)

func (r *run) doPlan() {
	p := r.work.Project
	plan, err := askWorker(r, question[Plan]{
		form: drive.FormPlan, label: "Plan: " + p.Title,
		prompt: func(string) (string, error) { return r.crew.planPrompt(PlanJob{r.work.AgentID, p}), nil },
		read:   func(parser Parser, a drive.Answer) (Plan, error) { return parser.Plan(a.Text) },
		finish: summarize(func(p Plan) string { return p.Summary }),
	})
	if !r.reportable(err) {
		return
	}
	failed := func(reason string) contracts.Fact {
		return contracts.PlanReady{ProjectID: p.ProjectID, Tasks: []contracts.TaskDraft{wholeRequest(p)}, Reason: hud.Shorten(reason, contracts.LimitNote)}
	}
	if err != nil {
		r.log.Warn("planning failed; the request becomes one task", "error", err)
		r.recordFinal(failed(err.Error()), failed)
		return
	}
	r.recordFinal(contracts.PlanReady{ProjectID: p.ProjectID, Summary: plan.Summary, Tasks: plan.Tasks}, failed)
}

// wholeRequest returns the request as a single task, for a project whose planning failed.
func wholeRequest(p contracts.Project) contracts.TaskDraft {
	title := cmp.Or(p.Title, p.Request)
	return contracts.TaskDraft{
		Title: hud.Shorten(title, contracts.LimitTaskTitle), Description: p.Request, Kind: contracts.KindPlan, Priority: 1,
	}
}

func (r *run) doTask() {
	task := r.work.Task.Task
	r.record(r.ctx, contracts.RunBegan{TaskID: task.TaskID, Attempt: task.Attempt, Runner: r.name})
	if r.ctx.Err() != nil {
		return
	}
	broke := func(reason string) contracts.Fact {
		return contracts.RunBroke{TaskID: task.TaskID, Attempt: task.Attempt, Reason: hud.Shorten(reason, contracts.LimitNote)}
	}
	if err := r.prepare(); err != nil {
		if r.reportable(err) {
			r.recordFinal(broke(err.Error()), broke)
		}
		return
	}
	res, drafts, err := r.askForResult()
	if !r.reportable(err) {
		return
	}
	if err != nil {
		r.log.Warn("run failed", "error", err)
		r.recordFinal(broke(err.Error()), broke)
		return
	}
	r.recordFinal(r.taskFact(res, drafts), broke)
}

// askForResult asks the worker to do the task, and stores what it delivers.
func (r *run) askForResult() (res Result, drafts []contracts.ArtifactDraft, err error) {
	task := r.work.Task.Task
	job := TaskJob{AgentID: r.work.AgentID, Project: r.work.Project, TaskWork: *r.work.Task, Read: r.read}
	done := delivery{run: r}
	ask := question[Result]{
		form: drive.FormResult, label: task.Title,
		prompt: func(workspace string) (string, error) {
			text, err := r.crew.taskPrompt(r.ctx, job, workspace)
			r.progress.report(5, "Reading the task")
			return text, err
		},
		read:  func(parser Parser, a drive.Answer) (Result, error) { return parser.Result(a.Text, job) },
		prose: proseOf(job),
		finish: func(ctx context.Context, res Result) (string, error) {
			var err error
			drafts, err = done.storeDrafts(ctx, res.Artifacts)
			return res.summary(), err
		},
	}
	if r.worktree != nil {
		ask.verify = done.verify
	}
	res, err = askWorker(r, ask)
	return res, drafts, err
}

// taskFact returns the fact for a task's result: RunAsked for a question, otherwise RunDelivered.
func (r *run) taskFact(res Result, drafts []contracts.ArtifactDraft) contracts.Fact {
	task := r.work.Task.Task
	if res.Ask != nil {
		return contracts.RunAsked{
			TaskID: task.TaskID, Attempt: task.Attempt,
			Prompt: res.Ask.Prompt, Options: res.Ask.Options, AllowFreeText: res.Ask.AllowFreeText,
		}
	}
	return contracts.RunDelivered{
		TaskID: task.TaskID, Attempt: task.Attempt, Artifacts: drafts, FollowUps: res.FollowUps, Rehearsal: r.caps.Scripted,
	}
}

// DeliveredPrefix is the start of the answer that is recorded for an agent that delivers artifacts.
const DeliveredPrefix = "Delivered: "

// summary describes a result on one line: its question, or the titles of its artifacts.
func (r *Result) summary() string {
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
	return DeliveredPrefix + strings.Join(titles, ", ")
}

// store stores the content of artifacts, before any fact refers to it, and returns their drafts.
func (r *run) store(ctx context.Context, artifacts []Artifact) ([]contracts.ArtifactDraft, error) {
	var drafts []contracts.ArtifactDraft
	for _, a := range artifacts {
		var sha string
		err := turn.RetryUntilRefused(ctx, r.log, "artifact", func(ctx context.Context) (err error) {
			sha, err = r.crew.Blobs.PutBlob(ctx, []byte(a.Content))
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("artifact %q could not be stored: %w; run the task again", a.Title, err)
		}
		drafts = append(drafts, contracts.ArtifactDraft{Type: a.Type, Title: a.Title, MIME: a.MIME, Bytes: len(a.Content), SHA256: sha})
	}
	return drafts, nil
}

func (r *run) read(ctx context.Context, a contracts.Artifact) (string, error) {
	b, ok, err := r.crew.Blobs.Blob(ctx, a.SHA256)
	if err != nil {
		return "", fmt.Errorf("read artifact %s: %w", a.ArtifactID, err)
	}
	if !ok {
		return "", fmt.Errorf("artifact %s has no stored content (%s): it was removed or never stored", a.ArtifactID, a.SHA256)
	}
	return string(b), nil
}

func (r *run) doChat() {
	w := *r.work.Chat
	reply, err := askWorker(r, question[Reply]{
		form: drive.FormReply, label: "Answer: " + w.Chat.Text,
		prompt: func(string) (string, error) { return r.crew.chatPrompt(ChatJob{r.work.AgentID, w}), nil },
		read: func(parser Parser, a drive.Answer) (Reply, error) {
			reply, err := parser.Reply(a.Text)
			reply.ProjectID, reply.SuggestedActions = a.ProjectID, a.Actions
			if err == nil {
				err = asUnusable(CheckReply(reply))
			}
			return reply, err
		},
		finish: summarize(func(r Reply) string { return r.Text }),
	})
	if !r.reportable(err) {
		return
	}
	chatFact := func(reply Reply) contracts.Fact {
		return contracts.ChatSaid{Chat: contracts.Chat{
			ThreadID: w.Chat.ThreadID, From: r.work.AgentID, To: w.Chat.From, Text: reply.Text,
			SuggestedActions: reply.SuggestedActions, ProjectID: reply.ProjectID, AnswersSeq: w.Seq, Rehearsal: r.caps.Scripted,
		}}
	}
	// A question without an answer looks like a broken office, so a failure is reported as an
	// answer.
	failed := func(reason string) contracts.Fact {
		return chatFact(Reply{Text: hud.Shorten("I could not answer: "+reason, contracts.LimitChatText)})
	}
	if err != nil {
		r.log.Warn("could not answer a chat message", "error", err)
		r.recordFinal(failed(err.Error()), failed)
		return
	}
	r.recordFinal(chatFact(reply), failed)
}
