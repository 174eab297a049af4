package rehearsal

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
)

// Capabilities declares that the crew accepts work items, follows a script, and needs the whole
// conversation with every turn.
func (r *Runner) Capabilities() drive.Capabilities {
	return drive.Capabilities{Messages: true, Work: true, Scripted: true}
}

// Open returns a conversation with a crew member; nothing is started.
func (r *Runner) Open(_ context.Context, spec drive.Spec) (drive.Session, error) {
	return session{r, spec.AgentID}, nil
}

// session is a conversation with an agent. It has no memory.
type session struct {
	runner *Runner
	agent  string
}

// ID returns "", because a conversation cannot be resumed.
func (s session) ID() string { return "" }

// Close does nothing, because no program is running.
func (s session) Close() error { return nil }

// Turn does the work that the prompt asks for, or answers a caller, and returns the result.
func (s session) Turn(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	switch p.Form {
	case drive.FormPlan:
		plan, err := s.runner.Plan(ctx, crew.PlanOf(p), sink)
		return object(plan, err)
	case drive.FormResult:
		res, err := s.runner.Work(ctx, crew.TaskOf(p), sink)
		return object(res, err)
	case drive.FormReview:
		review, err := s.runner.Review(ctx, crew.ReviewOf(p), sink)
		return object(review, err)
	case drive.FormReply:
		reply, err := s.runner.Chat(ctx, crew.ChatOf(p), sink)
		return drive.Answer{Text: reply.Text, ProjectID: reply.ProjectID, Actions: reply.SuggestedActions}, err
	}
	return s.answer(ctx, p, sink)
}

// object returns value as an answer in JSON, or err if err is not nil.
func object(value any, err error) (drive.Answer, error) {
	if err != nil {
		return drive.Answer{}, err
	}
	text, err := json.Marshal(value)
	return drive.Answer{Text: string(text)}, err
}

// answer replies to a caller's prompt as if it were a chat message. Everything that Chat streams is
// shown as thinking.
func (s session) answer(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	if contracts.Clip(p.Text, contracts.LimitChatText) != p.Text { // a truncated question could have another meaning
		return drive.Answer{}, fmt.Errorf("%w: at most %d characters", drive.ErrTooLong, contracts.LimitChatText)
	}
	chat := contracts.Chat{ThreadID: contracts.AgentThreadPx + s.agent, From: contracts.UserID, To: s.agent, Text: p.Text}
	reply, err := s.runner.Chat(ctx, crew.ChatJob{AgentID: s.agent, ChatWork: contracts.ChatWork{Chat: chat, Summary: s.runner.cfg.Summary()}}, drive.AsThought(sink))
	if err != nil {
		return drive.Answer{}, fmt.Errorf("no answer: %w", err)
	}
	return drive.Answer{Text: reply.Text}, nil
}
