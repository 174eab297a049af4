package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// TestWide checks that widening the terminal shows details next to the list, that narrowing it
// again leaves only the list, and that the selection stays.
func TestWide(t *testing.T) {
	for _, c := range []struct {
		name   string
		tell   func(*stage)
		both   []string // shown in a wide terminal
		detail string   // shown only in a wide terminal
	}{
		{"people", played("first_minute.jsonl", atQuestion, "p", "down", "down"), []string{"2› Bram", "Cleo"}, "Researcher · Rehearsal"},
		{"needs", coded("space"), []string{"Rhea wants to use", "+2 −2"}, "›! Rhea: Edit cart.ts"},
		{"activity", coded("a", "down"), []string{"›✓ Rhea · edit c1", "exec"}, "     5 + export function sum(items: readonly Item[]): number {"},
		{"board", played("first_minute.jsonl", atQuestion, "b", "down"), []string{"Prepare the change"}, "The request:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, wideFrom-1, 30)
			c.tell(s)
			narrow := s.shown()
			s.lacks(c.detail)
			s.update(tea.WindowSizeMsg{Width: wideFrom, Height: 30})
			s.says(append(c.both, c.detail)...)
			wellFormed(t, s)
			s.update(tea.WindowSizeMsg{Width: wideFrom - 1, Height: 30})
			if now := s.shown(); now != narrow {
				t.Errorf("the narrow view is not restored:\n%s\nwas\n%s", now, narrow)
			}
		})
	}
}

// TestDetailScrolls checks that details scroll by half pages while the selection stays.
func TestDetailScrolls(t *testing.T) {
	s := newStage(t, 160, 16)
	coding(s, "a", "down")
	s.says("src/cart.ts  +3 −2")
	s.keys("ctrl+d")
	s.lacks("src/cart.ts  +3 −2")
	s.says("›✓ Rhea · edit c1")
	s.keys("ctrl+u", "enter")
	s.says("hunk 1 of 2", "Esc back")
}

// TestDialogOverWideCharacters checks that a dialog that covers half of a wide character does not
// change the width of the line.
func TestDialogOverWideCharacters(t *testing.T) {
	for x := range 10 {
		b := over(block{lines: []string{"世界世界世界世界"}}, block{lines: []string{"dialog"}}, x, 0)
		if got := ansi.StringWidth(b.lines[0]); got != 16 {
			t.Errorf("at %d: %d wide: %q", x, got, b.lines[0])
		}
	}
}
