package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/bullpen-office/bullpen/model"
)

// findMost is the maximum length of a filter or search, in bytes.
const findMost = 120

// finder is the text typed after /: a list filter or a text search. It stays until Esc clears it.
type finder struct {
	text    string
	typing  bool
	changed func() // called after every change; may be nil
}

// findScreen is implemented by screens with a filter or a search.
type findScreen interface {
	screen
	finder() *finder
	found() string // describes the matches, such as "3 of 27" or "not found"
}

// finding returns the visible screen and its finder, or nil, nil if that screen has no finder.
func (a *app) finding() (findScreen, *finder) {
	if s, ok := a.screen().(findScreen); ok {
		return s, s.finder()
	}
	return nil, nil
}

func (f *finder) set(text string) {
	f.text = text
	if f.changed != nil {
		f.changed()
	}
}

// pressFind passes a key to the finder and reports whether the finder handled it. While the user is
// typing, the finder handles all keys except the movement keys, which go to the screen.
func (a *app) pressFind(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	s, f := a.finding()
	if f == nil {
		return nil, false
	}
	k := msg.String()
	if !f.typing {
		switch {
		case k == "/":
			f.typing = true
			return nil, true
		case k == "esc" && f.text != "":
			f.set("")
			return nil, true
		}
		return nil, false
	}
	switch k {
	case "esc":
		f.typing = false
		f.set("")
	case "enter":
		f.typing = false
	case "up", "down", "pgup", "pgdown":
		return s.key(k)
	case "backspace":
		if list := []rune(f.text); len(list) > 0 {
			f.set(string(list[:len(list)-1]))
		}
	case "ctrl+u":
		f.set("")
	default:
		if len(f.text)+len(msg.Text) <= findMost && msg.Text != "" {
			f.set(f.text + model.Plain(msg.Text))
		}
	}
	return nil, true
}

// pasteFind adds pasted text to the finder if the user is typing in it and the text is not too
// long.
func (a *app) pasteFind(text string) {
	_, f := a.finding()
	if text = model.Line(text); f != nil && f.typing && len(f.text)+len(text) <= findMost {
		f.set(f.text + text)
	}
}

// drawFind returns the finder's line, or "" if the finder is not in use.
func (a *app) drawFind(w int) string {
	s, f := a.finding()
	if f == nil || !f.typing && f.text == "" {
		return ""
	}
	cursor, does := "", "Esc clears"
	if f.typing {
		cursor, does = a.look.picked.Render(" "), "Enter keeps, Esc clears"
	}
	right := a.look.strong.Render(s.found()) + a.look.soft.Render("   "+does+" ")
	room := w - lipgloss.Width(right) - 5
	text := f.text
	for lipgloss.Width(text) > room && text != "" { // keep the end, where the cursor is
		text = string([]rune(text)[1:])
	}
	return split(a.look.title.Render(" / ")+text+cursor, right, w)
}

// foundOf formats the number of rows that match a list's filter, for example "3 of 27".
func foundOf(n, all int) string { return fmt.Sprintf("%d of %d", n, all) }

// filtered returns the rows that match the filter; words returns a row's text.
func filtered[T any](f *finder, rows []T, words func(*T) string) []T {
	if f.text == "" {
		return rows
	}
	return slices.DeleteFunc(slices.Clone(rows), func(row T) bool { return !f.matches(words(&row)) })
}

// matches reports whether a row contains all words of the filter, ignoring case.
func (f *finder) matches(row string) bool {
	if f.text == "" {
		return true
	}
	hay := strings.ToLower(row)
	for word := range strings.FieldsSeq(strings.ToLower(f.text)) {
		if !strings.Contains(hay, word) {
			return false
		}
	}
	return true
}

// requestKey returns the key that opens the request field: I on screens where / filters or
// searches, else /.
func (a *app) requestKey() string {
	if _, f := a.finding(); f != nil {
		return "I"
	}
	return "/"
}
