package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/bullpen-office/bullpen/contracts"
)

// The tabs, by position.
const (
	tabOffice = iota
	tabPeople
	tabNeeds
	tabBoard
	tabChat
	tabActivity
	tabTimeline
)

// tab is a screen with its name and the key that shows it.
type tab struct {
	name, key string
	screen    screen
}

func newTabs(a *app) []tab {
	return []tab{
		{contracts.SayViewOffice, "o", &officeScreen{app: a}}, {contracts.SayViewPeople, "p", newPeople(a)}, {contracts.SayNeedsYou, "space", newNeedsScreen(a)},
		{"Board", "b", &boardScreen{app: a}}, {contracts.SayViewChat, "c", &chatScreen{app: a, thread: contracts.ThreadBD}},
		{contracts.SayViewActivity, "a", newActivity(a)}, {"Timeline", "t", &timelineScreen{app: a}},
	}
}

// drawTabs draws the names of the tabs, closer together if there is little space. A tab's key is
// underlined if it is the first letter of the name.
func (a *app) drawTabs() block {
	var b block
	names, room := make([]string, len(a.tabs)), a.w-1
	for i, t := range a.tabs {
		names[i] = t.name
		if n := a.badge(i); n > 0 {
			names[i] += fmt.Sprintf(" %d", n)
		}
		room -= len(names[i])
	}
	gap := max(1, min(3, room/len(names)))
	line, x := " ", 1
	for i, t := range a.tabs {
		name, style := names[i], a.look.tab
		if i == a.at && len(a.open) == 0 {
			style = a.look.tabOn
		}
		part := style.Render(name)
		if t.key == strings.ToLower(t.name[:1]) {
			part = style.Underline(true).Render(name[:1]) + style.Render(name[1:])
		}
		w := lipgloss.Width(part)
		b.zones = append(b.zones, zone{x, 0, w, 1, func() tea.Cmd { a.goTab(i); return nil }})
		line += part + strings.Repeat(" ", gap)
		x += w + gap
	}
	b.add(pad(line, a.w))
	return b
}

// badge returns the number to show next to a tab's name; 0 means that none is shown.
func (a *app) badge(i int) int {
	switch i {
	case tabNeeds:
		return len(a.office.Rows().Needs())
	case tabChat:
		return a.unread("")
	}
	return 0
}
