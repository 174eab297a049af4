package turn

import (
	"strings"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
)

// Fence starts the JSON block at the end of a program's answer.
const Fence = "```json"

// steps derives progress from a program's activity: every tool call and every line of prose is a
// step.
type steps struct {
	mu    sync.Mutex
	count int
	line  string // the unfinished line
	block bool   // the text is inside the final code block
}

// addText processes the next piece of text. kind is "code" in the final block and "token"
// elsewhere; preview is the last complete line of prose in the piece, if any.
func (s *steps) addText(text string) (kind, preview string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := strings.Split(s.line+text, "\n")
	for i, line := range lines {
		whole, at := i < len(lines)-1, strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(at, Fence):
			s.block = true
		case s.block && whole && at == "```":
			s.block = false
		case !s.block && whole && at != "":
			preview = at
		}
	}
	s.line = lines[len(lines)-1]
	if len(s.line) > contracts.LimitText { // an overlong line: keep only its beginning
		s.line = s.line[:len(Fence)]
	}
	if s.block {
		return "code", preview
	}
	return "token", preview
}

// next returns the percentage after one more step. The total is unknown, so each step covers a
// smaller share of the rest.
func (s *steps) next() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	return 5 + 85*s.count/(s.count+12)
}
