package openai

import (
	"context"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
)

// Open starts a conversation. Nothing is sent before the first turn.
func (r *Runner) Open(_ context.Context, spec drive.Spec) (drive.Session, error) {
	return &session{runner: r, spec: spec}, nil
}

// session is a conversation with a model. Callers send the whole conversation with every turn. For
// the office's own work, the session keeps the conversation, so that a second prompt includes the
// first answer.
type session struct {
	runner       *Runner
	spec         drive.Spec
	conversation *conversation // the conversation for the office's work; nil before the first prompt
	text         string        // the last answer
}

// ID returns "": a conversation with a model cannot be resumed.
func (s *session) ID() string { return "" }

// Close does nothing, because the runner owns the connections.
func (s *session) Close() error { return nil }

// Turn sends the prompt to the model and returns its answer.
func (s *session) Turn(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	switch {
	case p.Form == "":
		a, err := s.runner.answer(ctx, s.spec.AgentID, p, drive.AsThought(sink))
		if err != nil {
			return drive.Answer{}, fmt.Errorf("no answer from the model: %w", err)
		}
		return a, nil
	case p.Continue && s.conversation != nil:
		s.conversation.resume(s.text, p.Text, sink)
	case p.RetryReason != "" && s.conversation != nil:
		s.conversation.retry(s.text, p.RetryReason, sink)
	default:
		c, err := s.runner.startWork(ctx, s.spec, p, sink)
		if err != nil {
			return drive.Answer{}, err
		}
		s.conversation = c
	}
	var err error
	s.text, err = s.conversation.ask(ctx)
	return drive.Answer{Text: s.text, Actions: actions(p)}, err
}

// startWork returns a new conversation for the office's work. For a task in a workspace, the model
// has tools.
func (r *Runner) startWork(
	ctx context.Context, spec drive.Spec, p drive.Prompt, sink drive.Sink,
) (*conversation, error) {
	switch p.Form {
	case drive.FormPlan:
		c := r.newConversation(sink, planShape())
		c.start(r.planPrompt(crew.PlanOf(p)))
		return c, nil
	case drive.FormReview:
		c := r.newConversation(sink, reviewShape())
		c.start(r.persona(p.Work.AgentID), p.Text)
		return c, nil
	case drive.FormReply:
		c := r.newConversation(sink, chatShape)
		c.start(r.chatPrompt(crew.ChatOf(p)))
		return c, nil
	}
	job := crew.TaskOf(p)
	sink.Progress(5, "Reading the task")
	prompt, err := r.taskPrompt(ctx, job, sink)
	if err != nil {
		return nil, err // a new version must be based on the previous version, which could not be read
	}
	c := r.newConversation(sink, workShape())
	if job.Task.Kind == contracts.KindCode {
		c.kind = "code"
	}
	begin := func(c *conversation) {
		persona := r.persona(job.AgentID)
		if c.shape = workShape(); c.tools != nil {
			persona, c.shape = r.toolPersona(job.AgentID), fileShape()
		}
		c.start(persona, prompt+handOver(c.tools != nil, job.Task.Worktree))
	}
	if c.tools, err = r.toolsIn(spec); err != nil {
		return nil, err
	}
	if c.tools != nil {
		c.tools.drop = begin
	}
	begin(c)
	return c, nil
}

// actions returns the buttons under a chat reply, or nil if there are no projects.
func actions(p drive.Prompt) []contracts.SuggestedAction {
	if p.Work == nil || p.Work.Chat == nil || len(p.Work.Chat.Summary.Projects) == 0 {
		return nil
	}
	return []contracts.SuggestedAction{{Action: "open_task_board", Label: contracts.SayOpenBoard}}
}
