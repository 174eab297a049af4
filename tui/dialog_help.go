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

func (d *helpDialog) scroll(by int) { d.top = max(0, min(d.top+by, len(keyHelp)-1)) }

func (d *helpDialog) draw(w, h int) block {
	w = min(w-4, 78)
	room := min(len(keyHelp), h-4)
	d.top = max(0, min(d.top, len(keyHelp)-room))
	var b block
	for _, k := range keyHelp[d.top : d.top+room] {
		b.add(d.app.look.key.Render(pad(k.key, 14)) + " " + clip(k.does, w-19))
	}
	return d.app.look.box("Keys", b, w, room+2)
}
