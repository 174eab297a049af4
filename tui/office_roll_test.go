package tui

import (
	"regexp"
	"testing"
)

// shows fails unless the frame matches the pattern.
func (s *stage) shows(pattern string) {
	s.t.Helper()
	if frame := s.shown(); !regexp.MustCompile(pattern).MatchString(frame) {
		s.t.Fatalf("the frame does not match %s:\n%s", pattern, frame)
	}
}

// TestRollShowsActiveAgentsFirst checks that agents that need you or are working are listed above
// free ones and keep their keys, and that hidden ones are counted.
func TestRollShowsActiveAgentsFirst(t *testing.T) {
	s := newStage(t, 60, 18)
	played("first_minute.jsonl", atQuestion)(s)
	s.shows(`6 ! Femi +Needs your answer\n(?s:.*?)4 ● Dov +Working(?s:.*?)8 ● Hugo +Working(?s:.*?)and 5 more, free\n`)
	s.keys("down")
	s.shows(`6›! Femi`)
	s.keys("down")
	s.shows(`4›● Dov`)
	s.keys("up", "up")
	s.shows(`6 ! Femi(?s:.*?)7›○ Gwen(?s:.*?)and 5 more: 2 working, 3 free\n`)
	s.keys("3")
	s.shows(`3›○ Cleo`)
	s.keys("esc")
	s.shows(`6 ! Femi`)
}
