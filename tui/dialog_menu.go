package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/model"
)

// dialog is a window on top of the screen; it handles all keys.
type dialog interface {
	draw(w, h int) block
	key(msg tea.KeyPressMsg) tea.Cmd
	scroll(by int)
}

// choice is one line of a menu.
type choice struct {
	label, hint    string
	disabledReason string // why the line is disabled; empty if it is not
	head           bool   // a heading, not selectable
	answer         bool   // an answer to a question, which can also be selected by number
	run            func() tea.Cmd
}

// menuDialog lets the user select one of several entries.
type menuDialog struct {
	app   *app
	title string
	about string
	items []choice
	list  list
}

func (a *app) openMenu(title, about string, items []choice) {
	m := &menuDialog{app: a, title: title, about: about, items: items}
	for m.list.at < len(items)-1 && !m.selectable(m.list.at) {
		m.list.at++
	}
	a.dialog = m
}

func (m *menuDialog) selectable(i int) bool {
	return m.items[i].disabledReason == "" && !m.items[i].head
}

func (m *menuDialog) scroll(by int) { m.move(by) }

// move moves the selection by a number of lines, or further if the line there cannot be selected.
// If no line in that direction can be selected, the selection does not change.
func (m *menuDialog) move(by int) {
	if by == 0 || len(m.items) == 0 {
		return
	}
	sign := 1
	if by < 0 {
		sign = -1
	}
	at := max(0, min(m.list.at+by, len(m.items)-1))
	for at >= 0 && at < len(m.items) {
		if m.selectable(at) {
			m.list.at = at
			return
		}
		at += sign
	}
}

func (m *menuDialog) key(msg tea.KeyPressMsg) tea.Cmd {
	switch k := msg.String(); k {
	case "esc", "q":
		m.app.dialog = nil
	case "enter", "space":
		return m.choose(m.list.at)
	default:
		m.move(step(k, 8))
	}
	return nil
}

func (m *menuDialog) choose(i int) tea.Cmd {
	if i < 0 || i >= len(m.items) || !m.selectable(i) {
		return nil
	}
	m.app.dialog = nil
	return m.items[i].run()
}

func (m *menuDialog) draw(w, h int) block {
	w = min(w-4, 72)
	var b block
	for _, line := range wrapped(m.about, w-4, 2) {
		b.add(m.app.look.soft.Render(line))
	}
	room := min(len(m.items), h-6-len(b.lines))
	from, to := m.list.window(len(m.items), room)
	for i := from; i < to; i++ {
		b.button(m.row(i, w-4), func() tea.Cmd { return m.choose(i) })
	}
	return m.app.look.box(m.title, b, w, len(b.lines)+2)
}

func (m *menuDialog) row(i, w int) string {
	it, l := m.items[i], &m.app.look
	label, note := model.Line(it.label), model.Line(it.hint)
	switch {
	case it.head:
		return l.soft.Render(pad(label, w))
	case it.disabledReason != "":
		return l.soft.Render(split("  "+label, model.Line(it.disabledReason), w))
	case i == m.list.at:
		return l.picked.Render(split("› "+label, note, w))
	}
	return split("  "+label, l.soft.Render(note), w)
}
