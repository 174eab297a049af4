package driven

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/drivetest"
)

// call has a caller ask once in its chat and leave.
func (r *Runner) call(t *testing.T, chat string, number int) (text string, sink *drivetest.Sink) {
	t.Helper()
	s, err := r.Driver(number).Open(t.Context(), drive.Spec{Key: "agent_eng_1::" + chat, AgentID: "agent_eng_1"})
	if err != nil {
		t.Fatal(err)
	}
	sink = &drivetest.Sink{}
	answer, err := s.Turn(t.Context(), drive.Prompt{Text: "Hello"}, sink)
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return answer.Text, sink
}

func remembering(t *testing.T, path string) *Memory {
	t.Helper()
	m, err := OpenMemory(path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A caller's conversation is taken up by its session key, after its program was let go
// and after a restart; the agent's own, other chats and a new session are others.
func TestVisitorsComeBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "conversations.json")
	p := says(good)
	for life, calls := range [][]struct {
		chat   string
		number int
		resume string
	}{
		{{"a", 0, ""}, {"a", 0, "conversation-1"}, {"b", 0, ""}},
		{{"b", 0, "conversation-3"}, {"a", 0, "conversation-1"}, {"a", 1, ""}, {chatID, 1, ""}},
		{{"a", 1, "conversation-6"}, {"b", 1, ""}},
	} {
		r := newRunner(t, Config{Driver: p, Memory: remembering(t, path)})
		for _, c := range calls {
			r.call(t, c.chat, c.number)
			if last := p.opened[len(p.opened)-1]; last.Resume != c.resume {
				t.Errorf("life %d: %v resumed %q", life, c, last.Resume)
			}
		}
	}
	newRunner(t, Config{Driver: p, Memory: remembering(t, path)}).do(t)
	if last := p.opened[len(p.opened)-1]; last.Resume != "" {
		t.Errorf("the crew took a visitor's conversation up: %+v", last)
	}
	if _, opened, closed := p.count(); closed != opened-1 {
		t.Errorf("%d opened, %d closed", opened, closed)
	}
}

// A visitor whose server was killed before the first answer comes back to its
// conversation.
func TestVisitorOfAServerThatWasKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "conversations.json")
	ctx, killed := context.WithCancel(t.Context())
	first := &program{turn: func(ctx context.Context, _ string, sink drive.Sink) (drive.Answer, error) {
		sink.Think()()
		killed()
		<-ctx.Done()
		return drive.Answer{}, ctx.Err()
	}}
	s, err := newRunner(t, Config{Driver: first, Memory: remembering(t, path)}).Driver(0).Open(ctx, drive.Spec{Key: "agent_eng_1::a", AgentID: "agent_eng_1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Turn(ctx, drive.Prompt{Text: "Hello"}, &drivetest.Sink{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	second := says("Hi")
	newRunner(t, Config{Driver: second, Memory: remembering(t, path)}).call(t, "a", 0)
	if second.opened[0].Resume != "conversation-1" {
		t.Errorf("%+v", second.opened)
	}
}

// A program that does not know the conversation begins another one, which is said once
// and taken up from then on; one that cannot begin at all is not started for ever.
func TestVisitorIsForgotten(t *testing.T) {
	for _, why := range []error{drive.ErrUnknown, drive.ErrGone} {
		m := &Memory{}
		newRunner(t, Config{Driver: says("Hi"), Memory: m}).call(t, "a", 0)
		p := &program{}
		p.turn = func(_ context.Context, _ string, sink drive.Sink) (drive.Answer, error) {
			if _, opened, _ := p.count(); opened == 1 {
				return drive.Answer{}, fmt.Errorf("it ended: %w", why)
			}
			sink.Delta("token", "Hi")
			return drive.Answer{Text: "Hi"}, nil
		}
		r := newRunner(t, Config{Driver: p, Memory: m})
		if text, sink := r.call(t, "a", 0); text != lost+"Hi" || sink.Text() != text {
			t.Errorf("%v: answered %q, streamed %q", why, text, sink.Text())
		}
		if text, _ := r.call(t, "a", 0); text != "Hi" {
			t.Errorf("%v: then answered %q", why, text)
		}
		if len(p.opened) != 3 || p.opened[0].Resume != "conversation-1" || p.opened[1].Resume != "" || p.opened[2].Resume != "conversation-2" {
			t.Errorf("%v: %+v", why, p.opened)
		}
	}
	broken := &program{turn: func(context.Context, string, drive.Sink) (drive.Answer, error) {
		return drive.Answer{}, drive.ErrUnknown
	}}
	s, err := newRunner(t, Config{Driver: broken}).Driver(0).Open(t.Context(), drive.Spec{Key: "agent_eng_1::a", AgentID: "agent_eng_1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Turn(t.Context(), drive.Prompt{Text: "Hello"}, &drivetest.Sink{}); !errors.Is(err, drive.ErrUnknown) || len(broken.opened) != 2 {
		t.Errorf("%v after %d programs", err, len(broken.opened))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Turn(t.Context(), drive.Prompt{Text: "Hello"}, &drivetest.Sink{}); err == nil || s.ID() != "" || len(broken.opened) != 2 {
		t.Errorf("a visit that is over goes on: %v", err)
	}
}

// Of too many visitors those are forgotten that were away longest; the crew never is.
func TestVisitorsAreBounded(t *testing.T) {
	m := &Memory{}
	r := newRunner(t, Config{Driver: says(good), Memory: m})
	r.do(t)
	r.call(t, "first", 0)
	for i := range contracts.LimitConversations {
		if i == 1 {
			r.call(t, "first", 0) // again
		}
		r.call(t, strings.Repeat("i", i+1), 0)
	}
	if len(m.kept.Agents) != contracts.LimitConversations+1 || m.conversation("driven/agent_eng_1", 0) == "" ||
		m.conversation("driven/agent_eng_1::first", 0) == "" || m.conversation("driven/agent_eng_1::i", 0) != "" {
		t.Errorf("%d are remembered", len(m.kept.Agents))
	}
}

// Visits that stay open are bounded as well.
func TestOpenVisitsAreBounded(t *testing.T) {
	m := &Memory{}
	r := newRunner(t, Config{Driver: says(good), Memory: m})
	var open []drive.Session
	for i := range contracts.LimitConversations + 2 {
		s, err := r.Driver(0).Open(t.Context(), drive.Spec{Key: "agent_eng_1::" + strings.Repeat("i", i+1), AgentID: "agent_eng_1"})
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, s)
	}
	for _, s := range open {
		if _, err := s.Turn(t.Context(), drive.Prompt{Text: "Hello"}, &drivetest.Sink{}); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.kept.Agents) != contracts.LimitConversations || len(m.kept.Visits) != contracts.LimitConversations {
		t.Errorf("%d are remembered, %d are noted", len(m.kept.Agents), len(m.kept.Visits))
	}
}

// A caller that sends the whole conversation loses nothing when the program has
// forgotten it, and is not told of it; a conversation without a name is not kept.
func TestVisitorTellsEverythingAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "conversations.json")
	p := says(good)
	r := newRunner(t, Config{Driver: p, Memory: remembering(t, path)})
	r.call(t, "a", 0)
	answers, forgets := p.turn, true
	p.turn = func(ctx context.Context, text string, sink drive.Sink) (drive.Answer, error) {
		if forgets {
			forgets = false
			return drive.Answer{}, drive.ErrUnknown
		}
		return answers(ctx, text, sink)
	}
	s, err := r.Driver(0).Open(t.Context(), drive.Spec{Key: "agent_eng_1::a", AgentID: "agent_eng_1"})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.Turn(t.Context(), drive.Prompt{Text: "Two", Whole: &drive.Prompt{Text: "One, two"}}, &drivetest.Sink{})
	if err != nil || strings.Contains(answer.Text, "could not be resumed") || p.prompts[len(p.prompts)-1] != "One, two" {
		t.Errorf("%q, %v, told %q", answer.Text, err, p.prompts)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before := len(r.cfg.Memory.kept.Agents)
	s, err = r.Driver(0).Open(t.Context(), drive.Spec{Key: "agent_eng_1::~1", AgentID: "agent_eng_1", Fleeting: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Turn(t.Context(), drive.Prompt{Text: "Hello"}, &drivetest.Sink{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil || len(r.cfg.Memory.kept.Agents) != before {
		t.Errorf("%d conversations are kept, %v", len(r.cfg.Memory.kept.Agents), err)
	}
}
