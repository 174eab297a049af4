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
	runner *Runner
	spec   drive.Spec
	talk   *conversation // the conversation about the office's work; nil before the first prompt
	text   string        // the last answer
}

// ID returns "": a conversation with a model cannot be resumed.
func (s *session) ID() string { return "" }

// Close does nothing, because the runner owns the connections.
func (s *session) Close() error { return nil }

// Turn sends the prompt to the model and returns its answer.
func (s *session) Turn(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	switch {
	case p.Form == "":
		a, err := s.runner.answer(ctx, s.spec.AgentID, p, drive.Working(sink))
		if err != nil {
			return drive.Answer{}, fmt.Errorf("no answer from the model: %w", err)
		}
		return a, nil
	case p.Continue && s.talk != nil:
		s.talk.resume(s.text, p.Text, sink)
	case p.Again != "" && s.talk != nil:
		s.talk.again(s.text, p.Again, sink)
	default:
		talk, err := s.runner.work(ctx, s.spec, p, sink)
		if err != nil {
			return drive.Answer{}, err
		}
		s.talk = talk
	}
	var err error
	s.text, err = s.talk.ask(ctx)
	return drive.Answer{Text: s.text, Actions: actions(p)}, err
}

// work starts a conversation about the office's work. For a task in a workspace, the model has
// tools.
func (r *Runner) work(ctx context.Context, spec drive.Spec, p drive.Prompt, sink drive.Sink) (*conversation, error) {
	switch p.Form {
	case drive.FormPlan:
		c := r.converse(sink, planShape())
		c.tell(r.planPrompt(crew.PlanOf(p)))
		return c, nil
	case drive.FormReview:
		c := r.converse(sink, reviewShape())
		c.tell(r.persona(p.Work.AgentID), p.Text)
		return c, nil
	case drive.FormReply:
		c := r.converse(sink, chatShape)
		c.tell(r.chatPrompt(crew.ChatOf(p)))
		return c, nil
	}
	job := crew.TaskOf(p)
	sink.Progress(5, "Reading the task")
	prompt, err := r.taskPrompt(ctx, job, sink)
	if err != nil {
		return nil, err // a new version must be based on the previous version, which could not be read
	}
	c := r.converse(sink, workShape())
	if job.Task.Kind == contracts.KindCode {
		c.kind = "code"
	}
	begin := func(c *conversation) {
		persona := r.persona(job.AgentID)
		if c.shape = workShape(); c.tools != nil {
			persona, c.shape = r.worker(job.AgentID), fileShape()
		}
		c.tell(persona, prompt+handOver(c.tools != nil, job.Task.Worktree))
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
	return []contracts.SuggestedAction{{Action: "open_task_board", Label: "Open the task board"}}
}
