package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestLongMessagesCanBeReadInFull checks that L, and Enter on the timeline, open messages that
// do not fit above the input field.
func TestLongMessagesCanBeReadInFull(t *testing.T) {
	rows := make([]string, 30)
	for i := range rows {
		rows[i] = fmt.Sprintf("row %d.", i+1)
	}
	s := newStage(t, 80, 24)
	played("guests.jsonl", guestsAsk)(s)
	s.announce("message", fmt.Sprintf(`{"text":%q,"level":"warning"}`, strings.Join(rows, "\n")), "r1")
	s.says("row 1.", "row 2. …  L shows all")
	for _, opens := range [][]string{{"l"}, {"t", "enter"}, {"t", "v", "down", "down", "down", "down", "down", "down", "down", "down", "down", "down", "enter", "enter"}} {
		s.keys(opens...)
		s.says("(↑ ↓ show the rest)", "row 1.", "row 9.")
		s.keys("pgdown", "pgdown")
		s.says("row 30.")
		s.keys("esc")
	}
}

// TestHiddenStatusesAreCounted checks that a terminal with few lines shows one status and the
// number of the others, and that L lists them.
func TestHiddenStatusesAreCounted(t *testing.T) {
	s := newStage(t, 80, 24)
	played("guests.jsonl", guestsAsk)(s)
	s.announce("progress", `{"text":"Indexing","percent":40}`, "r1")
	s.announce("status", `{"text":"Resting"}`, "r2")
	s.says("Resting", "L: 3 more")
	s.keys("l")
	s.says("Indexing · 40%", "Which colour?")
}

// TestStatusesAge checks that an old status shows its age.
func TestStatusesAge(t *testing.T) {
	s := newStage(t, 120, 40)
	played("guests.jsonl", guestsAsk)(s)
	s.announce("status", `{"text":"Resting"}`, "r2")
	s.wait(12 * time.Minute)
	s.says("Resting", "12 min ago")
}

// TestMessagesAreOnTheTimeline checks that the timeline has all messages, including older ones, and
// that warnings look different from other messages.
func TestMessagesAreOnTheTimeline(t *testing.T) {
	s := newStage(t, 120, 40)
	played("guests.jsonl", guestsAsk)(s)
	for i := range 5 {
		s.announce("message", fmt.Sprintf(`{"text":"plain %d"}`, i+1), "r1")
	}
	s.announce("message", `{"text":"disk is full","level":"warning"}`, "r1")
	s.wait(time.Minute) // informational messages are not shown above the field for this long
	s.keys("t")
	s.says("• Message             nightly · plain 1", "• Message             nightly · plain 5", "! Warning             nightly · disk is full")
}
