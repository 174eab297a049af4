package turn

import (
	"strings"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
)

// Fence begins the block with which a program ends its answer.
const Fence = "```json"

// steps makes progress out of what a program shows: every call and every whole line of
// prose is a step.
type steps struct {
	mu    sync.Mutex
	count int
	line  string // that is being written
	block bool   // the answer's block is being written
}

// wrote follows the text line by line. The block at the end is no prose.
func (s *steps) wrote(text string) (kind, preview string) {
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
	if len(s.line) > contracts.LimitText { // one endless line: only its beginning says what it is
		s.line = s.line[:len(Fence)]
	}
	if s.block {
		return "code", preview
	}
	return "token", preview
}

// next is the percentage after one more step. How much is left nobody knows: every step
// is a smaller part of the way.
func (s *steps) next() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	return 5 + 85*s.count/(s.count+12)
}
