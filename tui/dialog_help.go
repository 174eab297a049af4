package tui

import (
	tea "charm.land/bubbletea/v2"
)

// keyHelp are the keys and what they do; those of the browser come first and mean
// the same.
var keyHelp = []hint{
	{"Space", "Go to the next thing that needs you"},
	{"Y / N", "On an open card: approve or send back, allow or deny"},
	{"1 – 9", "Choose a person"},
	{"Enter", "Open what is chosen"},
	{"F", "Follow the chosen person"},
	{"B", "Task board: Enter shows what can be done, Z pauses"},
	{"U", "Let the office hand out the tasks that wait"},
	{"T", "Timeline: [ and ] jump to where it needed you, V filters"},
	{"/", "Write a request; Tab adds constraints"},
	{"O P C A", "Office, people, chat, activity"},
	{"Tab, ← →", "Next or previous view"},
	{"↑ ↓ PgUp PgDn", "Move, scroll"},
	{"[ ]", "Another version, thread, project or person"},
	{"X", "Dismiss a message"},
	{"R", "Try to connect now"},
	{"Ctrl K", "Find anything"},
	{"?", "Show these keys"},
	{"Esc", "Close what is open"},
	{"Q, Ctrl C", "Leave; the office goes on"},
}

type helpDialog struct {
	app *app
	top int
}

func newHelp(a *app) dialog { return &helpDialog{app: a} }

func (d *helpDialog) key(msg tea.KeyPressMsg) tea.Cmd {
	if by := step(msg.String(), 8); by != 0 {
		d.scroll(by)
		return nil
	}
	d.app.dialog = nil
	return nil
}

func (d *helpDialog) scroll(by int) { d.top += by }

func (d *helpDialog) draw(w, h int) block {
	const keys = 14
	w = min(w-4, 78)
	var b block
	for _, k := range keyHelp {
		for i, line := range wrap(k.does, w-5-keys) {
			key := ""
			if i == 0 {
				key = k.key
			}
			b.add(d.app.look.key.Render(pad(key, keys)) + " " + line)
		}
	}
	room := min(len(b.lines), h-4)
	d.top = max(0, min(d.top, len(b.lines)-room))
	title := "Keys"
	if room < len(b.lines) {
		title += " (↑ ↓ show the rest)"
	}
	return d.app.look.box(title, b.from(d.top), w, room+2)
}
