package tui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// numbered returns n different words.
func numbered(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprint("word", i+1)
	}
	return strings.Join(words, " ")
}

// TestLongTextStaysVisible checks that the field grows with the text up to a limit; beyond that,
// the rows around the cursor stay visible, and the arrow keys reach the others.
func TestLongTextStaysVisible(t *testing.T) {
	write := map[string]func(*stage, string){
		"typed":  func(s *stage, text string) { s.keys(`"` + text + `"`) },
		"pasted": func(s *stage, text string) { s.update(tea.PasteMsg{Content: text}) },
		"kept":   func(s *stage, text string) { s.keys(`"`+text+`"`, "esc", "/") },
		"narrowed": func(s *stage, text string) {
			s.update(tea.WindowSizeMsg{Width: 140, Height: 24})
			s.keys(`"` + text + `"`)
			s.update(tea.WindowSizeMsg{Width: 80, Height: 24})
		},
	}
	for how, put := range write {
		t.Run(how, func(t *testing.T) {
			s := newStage(t, 80, 24)
			played("first_minute.jsonl", 1, "/")(s)
			put(s, numbered(26))
			s.says("Ask the office › word1 word2", "word26\n")
			put(s, " "+numbered(60))
			if shown := s.shown(); !strings.Contains(shown, "word60") || strings.Contains(shown, "› word1 word2") {
				t.Errorf("the end of the text is not visible:\n%s", shown)
			}
			s.keys("up", "up", "up", "up", "up", "up", "up", "up", "up", "up", "up", "up")
			s.says("Ask the office › word1 word2")
		})
	}
}

// TestNewLinesStayVisible checks that each new line is visible immediately.
func TestNewLinesStayVisible(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", 1, "/")(s)
	for i := range 8 {
		s.keys(fmt.Sprintf(`"line%d"`, i), "alt+enter")
		s.says(fmt.Sprintf("line%d\n", i), "Alt+Enter new line")
	}
	s.keys("up", "up", "up", "up", "up", "up", "up", "up")
	s.says("› line0\n", "line4 ")
}

// TestCounterCoversNothing checks that the counter does not cover the text, and that a refusal
// shows the same number.
func TestCounterCoversNothing(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", 1, "/")(s)
	s.update(tea.PasteMsg{Content: strings.Repeat("tea ", 600)})
	for range 8 {
		s.keys(`"x"`)
		s.says(fmt.Sprintf("%d / 2000", len(s.composer.text())))
		if shown := s.shown(); regexp.MustCompile(`[tex]\d`).MatchString(shown) {
			t.Fatalf("the counter covers the text:\n%s", shown)
		}
	}
	s.keys("enter")
	s.says("Too long: 2408 characters; the limit is 2000.")
}
