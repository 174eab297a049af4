package driven

import (
	"strings"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/hud"
)

// fence begins the block that ends an answer.
const fence = "```json"

// sink makes progress out of what a program shows.
type sink struct {
	drive.Sink
	pulse
	crew crew.Sink

	mu    sync.Mutex
	steps int             // calls and lines so far
	line  string          // that is being written
	block bool            // the answer's block is being written
	spent contracts.Usage // by turns of the job that ended
}

func newSink(out crew.Sink, first func()) *sink {
	return &sink{Sink: out.Drive(), crew: out, pulse: pulse{first: first}}
}

// Delta shows text; the block at the end is no prose.
func (s *sink) Delta(kind, text string) {
	s.sign()
	if kind != "token" {
		s.Sink.Delta(kind, text)
		return
	}
	kind, preview := s.wrote(text)
	s.Sink.Delta(kind, text)
	if preview != "" {
		s.step(preview)
	}
}

// wrote follows the text line by line. A whole line of prose is a step.
func (s *sink) wrote(text string) (kind, preview string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := strings.Split(s.line+text, "\n")
	for i, line := range lines {
		whole, at := i < len(lines)-1, strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(at, fence):
			s.block = true
		case s.block && whole && at == "```":
			s.block = false
		case !s.block && whole && at != "":
			preview = at
		}
	}
	s.line = lines[len(lines)-1]
	if len(s.line) > contracts.LimitText { // one endless line: only its beginning says what it is
		s.line = s.line[:len(fence)]
	}
	if s.block {
		return "code", preview
	}
	return "token", preview
}

// ToolStart shows a call, which is a step.
func (s *sink) ToolStart(callID, tool string, args any) func(any) {
	s.sign()
	end := s.Sink.ToolStart(callID, tool, args)
	s.step(hud.ToolStart(hud.Source{}, "", hud.Span{}, hud.Call{Tool: tool, Args: hud.Value(args)}).Label)
	return end
}

// Think shows a stretch of thinking.
func (s *sink) Think() func() {
	s.sign()
	return s.Sink.Think()
}

// Used reports what the job has used so far.
func (s *sink) Used(u contracts.Usage) {
	s.mu.Lock()
	u = drive.Sum(s.spent, u)
	s.mu.Unlock()
	if u != (contracts.Usage{Model: u.Model}) {
		s.crew.Used(u)
	}
}

// settle adds what a turn used, whatever became of it.
func (s *sink) settle(u contracts.Usage) {
	s.Used(u)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spent = drive.Sum(s.spent, u)
}

// step reports progress. How much is left nobody knows: every step is a smaller
// part of the way.
func (s *sink) step(preview string) {
	s.mu.Lock()
	s.steps++
	percent := 5 + 85*s.steps/(s.steps+12)
	s.mu.Unlock()
	s.crew.Progress(percent, hud.Line(preview, contracts.LimitPreview))
}
