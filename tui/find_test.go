package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
)

// TestFilter checks that / filters every list while the user is typing: Enter keeps the filter, Esc
// clears it, and none of its letters acts as a shortcut.
func TestFilter(t *testing.T) {
	for _, c := range []struct {
		name, file string
		upTo       int
		tab        string
		words      string
		count      string
		has, lacks string
		none       string
	}{
		{"people", "first_minute.jsonl", atQuestion, "p", `"gwen"`, "1 of 8", "Gwen", "Bram", "Nobody matches the filter."},
		{"people by role", "first_minute.jsonl", atQuestion, "p", `"engineer"`, "2 of 8", "Dov", "Bram", "Nobody matches the filter."},
		{"needs", "guests.jsonl", guestsAsk, "space", `"colour"`, "1 of 2", "Which colour?", "npm publish", "Nothing here matches"},
		{"board", "first_minute.jsonl", atQuestion, "b", `"review"`, "1 of 3", "Review what was made", "Plan the work", "No task matches the filter."},
		{"chat", "first_minute.jsonl", atEnd, "c", `"trophy"`, "1 of ", "new trophy", "Shall", "matches the filter."},
		{"activity", "first_minute.jsonl", atReview, "a", `"request.txt femi"`, "2 of ", "Femi", "Hugo", "Nothing matches the filter."},
		{"timeline", "first_minute.jsonl", atReview, "t", `"kickoff started"`, "1 of ", "Kickoff started", "Task assigned", "Nothing here matches the filter."},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, 80, 30)
			played(c.file, c.upTo, c.tab)(s)
			before := s.shown()
			at := s.at
			s.keys("/", c.words)
			s.says(c.has, c.count, "/ "+strings.Trim(c.words, `"`), "Enter keeps")
			if s.lacks(c.lacks); s.at != at {
				t.Fatal("a letter of the filter acted as a shortcut")
			}
			s.keys("enter")
			s.says(c.count, "Esc clears")
			s.lacks(c.lacks, "Enter keeps")
			s.keys("/", `"zzz"`)
			s.says(c.none, "0 of ")
			s.keys("esc")
			if now := s.shown(); c.name != "people" && c.name != "people by role" && c.name != "needs" && now != before {
				t.Errorf("Esc does not restore the list:\n%s\nwas\n%s", now, before)
			}
			s.lacks("Esc clears", c.none)
			s.gaveNone()
		})
	}
}

// lacks fails if the frame contains any of the words.
func (s *stage) lacks(words ...string) {
	s.t.Helper()
	frame := s.shown()
	for _, w := range words {
		if strings.Contains(frame, w) {
			s.t.Fatalf("the frame says %q:\n%s", w, frame)
		}
	}
}

// TestFilterSelects checks that the filter selects a visible agent, and that Enter opens it.
func TestFilterSelects(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", atQuestion, "p", "/", `"gwen"`, "enter", "enter")(s)
	s.says(" Gwen ", "E explain")
}

// TestFilterIsEdited checks paste, Backspace, Ctrl U and arrows in the filter.
func TestFilterIsEdited(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", atQuestion, "p", "/")(s)
	s.update(tea.PasteMsg{Content: "en\n\x1b[2Jgi"})
	s.says("/ en [2Jgi", "0 of 8")
	s.keys("ctrl+u", `"engx"`)
	s.update(tea.KeyPressMsg{Code: tea.KeyBackspace})
	s.says("/ eng", "2 of 8")
	s.keys("down", "enter", "enter")
	s.says(" Gwen ")
}

// TestRequestKeys checks that I opens the request field on every screen, and that / does so where
// it does not filter.
func TestRequestKeys(t *testing.T) {
	for _, keys := range [][]string{{"p", "i"}, {"o", "/"}, {"o", "i"}, {"t", "I"}} {
		s := newStage(t, 80, 24)
		played("first_minute.jsonl", 1, append(keys, `"A page about tea"`, "enter")...)(s)
		s.gave(contracts.SubmitRequest{Text: "A page about tea", AutoAssign: true})
	}
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", 1, "p")(s)
	s.says(" I › Ask the office for anything…")
}
