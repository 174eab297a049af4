package drivetest

import (
	"context"
	"fmt"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// Sink records the reports of a turn, and answers permission requests with Verdict and questions
// with Answer.
type Sink struct {
	Verdict func(contracts.Permission) (drive.Verdict, error)
	Answer  func([]contracts.AskSeen) ([]contracts.Decision, error)

	mu      sync.Mutex
	lines   []string
	results []string
	text    string
	thought string
	used    []contracts.Usage
}

func (s *Sink) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

// Lines returns one line for each tool call, thought, permission request and question.
func (s *Sink) Lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.lines...)
}

// Text returns the streamed text of the answer, without thoughts or code.
func (s *Sink) Text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text
}

// Thoughts returns the streamed thoughts.
func (s *Sink) Thoughts() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.thought
}

// Delta collects streamed text and thoughts.
func (s *Sink) Delta(kind, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch kind {
	case "token":
		s.text += text
	case "thought":
		s.thought += text
	}
}

// ToolStart records a tool call and its end.
func (s *Sink) ToolStart(_, tool string, _ any) func(any) {
	s.note("start %s", tool)
	return func(result any) {
		s.note("end %s %T", tool, result)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.results = append(s.results, fmt.Sprintf("%+v", result))
	}
}

// Results returns the results of the tool calls, in the order in which the calls ended.
func (s *Sink) Results() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.results...)
}

// Think records the start and end of thinking.
func (s *Sink) Think() func() {
	s.note("thinks")
	return func() { s.note("has thought") }
}

// Progress does nothing.
func (s *Sink) Progress(int, string) {}

// Used records a usage report.
func (s *Sink) Used(u contracts.Usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = append(s.used, u)
}

// Reports returns the recorded usage reports, in order.
func (s *Sink) Reports() []contracts.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]contracts.Usage(nil), s.used...)
}

// Permit returns the result of Verdict; if Verdict is nil, it waits until ctx is done.
func (s *Sink) Permit(ctx context.Context, p contracts.Permission) (drive.Verdict, error) {
	s.note("may it %s", p.Label)
	if s.Verdict == nil {
		<-ctx.Done()
		return drive.Verdict{}, ctx.Err()
	}
	return s.Verdict(p)
}

// Ask returns the result of Answer; if Answer is nil, it waits until ctx is done.
func (s *Sink) Ask(ctx context.Context, questions []contracts.AskSeen) ([]contracts.Decision, error) {
	for _, q := range questions {
		s.note("asks %s", q.Prompt)
	}
	if s.Answer == nil {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.Answer(questions)
}

var _ drive.Sink = (*Sink)(nil)
