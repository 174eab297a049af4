package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestLongMessagesAreReadWhole: what does not fit above the field is read by L, and
// on the timeline by Enter.
func TestLongMessagesAreReadWhole(t *testing.T) {
	rows := make([]string, 30)
	for i := range rows {
		rows[i] = fmt.Sprintf("row %d.", i+1)
	}
	s := newStage(t, 80, 24)
	played("guests.jsonl", guestsAsk)(s)
	s.announce("message", fmt.Sprintf(`{"text":%q,"level":"warning"}`, strings.Join(rows, "\n")), "r1")
	s.says("row 1.", "row 2. …  L shows all of it")
	for _, opens := range [][]string{{"l"}, {"t", "enter"}, {"t", "v", "down", "down", "down", "down", "down", "down", "down", "down", "down", "down", "enter", "enter"}} {
		s.keys(opens...)
		s.says("(↑ ↓ show the rest)", "row 1.", "row 9.")
		s.keys("pgdown", "pgdown")
		s.says("row 30.")
		s.keys("esc")
	}
}

// TestHiddenStatusesAreCounted: in a low terminal one status is shown, and L lists
// the others.
func TestHiddenStatusesAreCounted(t *testing.T) {
	s := newStage(t, 80, 24)
	played("guests.jsonl", guestsAsk)(s)
	s.announce("progress", `{"text":"Indexing","percent":40}`, "r1")
	s.announce("status", `{"text":"Resting"}`, "r2")
	s.says("Resting", "L: 3 more")
	s.keys("l")
	s.says("Indexing · 40 %", "Which colour?")
}

// TestStatusesAge: a line says how old it is, and goes with the agent that said it.
func TestStatusesAge(t *testing.T) {
	s := newStage(t, 120, 40)
	played("guests.jsonl", guestsAsk)(s)
	s.announce("status", `{"text":"Resting"}`, "r2")
	s.wait(12 * time.Minute)
	s.says("Resting", "12 min ago")
}

// TestMessagesAreOnTheTimeline: all of them are among everything, older ones too, and
// a warning looks different from plain news.
func TestMessagesAreOnTheTimeline(t *testing.T) {
	s := newStage(t, 120, 40)
	played("guests.jsonl", guestsAsk)(s)
	for i := range 5 {
		s.announce("message", fmt.Sprintf(`{"text":"plain %d"}`, i+1), "r1")
	}
	s.announce("message", `{"text":"disk is full","level":"warning"}`, "r1")
	s.wait(time.Minute) // plain news are gone from above the field
	s.keys("t")
	s.says("• Message             nightly · plain 1", "• Message             nightly · plain 5", "! Warning             nightly · disk is full")
}
