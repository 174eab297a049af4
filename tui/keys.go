package tui

import (
	tea "charm.land/bubbletea/v2"
)

// press passes a key to the open dialog or input field, or else to the first of these that handles
// it: the finder, the screen, the global shortcuts. Ctrl C, Ctrl K and Ctrl Z always work.
func (a *app) press(msg tea.KeyPressMsg) tea.Cmd {
	k := msg.String()
	switch {
	case k == "ctrl+c":
		return a.quit()
	case k == "ctrl+k":
		if _, open := a.dialog.(*paletteDialog); open {
			a.dialog = nil
		} else {
			a.dialog = newPalette(a)
		}
		return nil
	case k == "ctrl+z":
		return tea.Suspend
	case a.w < leastWidth || a.h < leastHeight:
		if k == "q" {
			return a.quit()
		}
		return nil
	case a.dialog != nil:
		return a.dialog.key(msg)
	case a.composer != nil:
		return a.composer.key(msg)
	}
	if cmd, used := a.pressFind(msg); used {
		return cmd
	}
	if cmd, used := a.screen().key(k); used {
		return cmd
	}
	return a.globalKey(k)
}

const chooseFirst = "Choose an agent first: 1 to 9, or ↑ ↓."

// globalKey handles a key that does the same thing on every screen.
func (a *app) globalKey(k string) tea.Cmd {
	switch k {
	case "q":
		return a.quit()
	case "space":
		return a.nextNeed()
	case "/", "i", "I":
		return a.compose(a.newRequest())
	case "?":
		a.dialog = newHelp(a)
	case "esc":
		a.close()
	case "tab", "right":
		a.goTab((a.at + 1) % len(a.tabs))
	case "shift+tab", "left":
		a.goTab((a.at + len(a.tabs) - 1) % len(a.tabs))
	case "f", "F":
		a.toggleFollow()
	case "x":
		a.dismiss()
	case "l", "L":
		a.readBulletin()
	case "h", "H":
		return a.openConnect()
	case "r":
		a.conn.RetryNow()
	case "u", "U":
		if len(a.undoable) > 0 {
			return a.undo()
		}
		return a.assignTasks()
	case "enter":
		if a.office.Rows().Agent(a.selected) == nil {
			a.toast(chooseFirst, tonePlain)
			return nil
		}
		a.push(&personScreen{app: a, id: a.selected})
	default:
		a.tabKey(k)
	}
	return nil
}

// tabKey switches to the tab with this key; a digit selects an agent.
func (a *app) tabKey(k string) {
	for i, t := range a.tabs {
		if k == t.key || len(k) == 1 && k[0]|0x20 == t.key[0] && t.key != "space" {
			a.goTab(i)
			return
		}
	}
	if len(k) == 1 && k[0] >= '1' && k[0] <= '9' {
		if list := a.allAgents(); int(k[0]-'1') < len(list) {
			a.selected = list[k[0]-'1'].AgentID
			if p, open := a.screen().(*personScreen); open {
				p.id, p.top, p.asked = a.selected, 0, nil
			}
		}
	}
}

// close handles Esc: it closes the topmost screen, or else stops following, dismisses a message,
// clears the selection or returns to the office.
func (a *app) close() {
	switch {
	case len(a.open) > 0:
		a.pop()
	case a.follow != "":
		a.follow = ""
	case a.dismiss():
	case a.selected != "":
		a.selected = ""
	default:
		a.goTab(tabOffice)
	}
}

func (a *app) toggleFollow() {
	if a.follow != "" && (a.selected == "" || a.follow == a.selected) {
		a.follow = ""
		return
	}
	if a.selected == "" {
		a.toast(chooseFirst, tonePlain)
		return
	}
	a.follow = a.selected
	a.goTab(tabOffice)
}

// paste inserts pasted text into the palette, the input field or the finder. Elsewhere the text is
// ignored, because it must not act as key presses.
func (a *app) paste(msg tea.PasteMsg) tea.Cmd {
	if d, open := a.dialog.(*paletteDialog); open {
		return d.paste(msg)
	}
	if a.composer != nil && a.dialog == nil {
		return a.composer.paste(msg)
	}
	if a.dialog == nil {
		a.pasteFind(msg.Content)
	}
	return nil
}

// click activates the zone under the pointer. A click outside any zone closes the dialog.
func (a *app) click(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft {
		return nil
	}
	for i := len(a.zones) - 1; i >= 0; i-- {
		z := a.zones[i]
		if msg.X >= z.x && msg.X < z.x+z.w && msg.Y >= z.y && msg.Y < z.y+z.h && z.act != nil {
			return z.act()
		}
	}
	if a.dialog != nil {
		a.dialog = nil
	}
	return nil
}

const wheelLines = 3

func (a *app) wheel(msg tea.MouseWheelMsg) {
	by := wheelLines
	switch msg.Button {
	case tea.MouseWheelUp:
		by = -wheelLines
	case tea.MouseWheelDown:
	default:
		return
	}
	if a.dialog != nil {
		a.dialog.scroll(by)
		return
	}
	a.screen().scroll(by)
}

// list is the state of a scrolling list: the selected row and the first visible row.
type list struct{ at, top int }

// move moves the selection by a number of rows, but not past the ends of the list.
func (l *list) move(by, n int) { l.at = max(0, min(l.at+by, n-1)) }

// window returns which of n rows to show in h lines, and scrolls so that the selected row is one
// of them.
func (l *list) window(n, h int) (from, to int) {
	l.at = max(0, min(l.at, n-1))
	l.top = max(min(l.top, l.at), l.at-h+1)
	l.top = max(0, min(l.top, n-h))
	return l.top, min(n, l.top+h)
}

// noGroup is the group of rows without a heading.
const noGroup = -1

// grouped is like window, but for rows with headings; groups contains the group of each row. The
// headings of all visible groups are shown and count towards h.
func (l *list) grouped(groups []int, h int) (from, to int) {
	l.at = max(0, min(l.at, len(groups)-1))
	l.top = max(0, min(l.top, l.at))
	for l.top < l.at && endOfGroups(groups, l.top, h) <= l.at {
		l.top++
	}
	for l.top > 0 && endOfGroups(groups, l.top-1, h) == len(groups) {
		l.top--
	}
	return l.top, endOfGroups(groups, l.top, h)
}

// endOfGroups returns the index after the last row that fits into h lines, headings included, if
// from is the first visible row.
func endOfGroups(groups []int, from, h int) int {
	to := from
	for ; to < len(groups); to++ {
		if h--; headed(groups, from, to) {
			h--
		}
		if h < 0 {
			break
		}
	}
	return to
}

// headed reports whether a heading is drawn directly above row i if from is the first visible row.
func headed(groups []int, from, i int) bool {
	return groups[i] != noGroup && (i == from || groups[i] != groups[i-1])
}

// step returns the number of rows by which a key moves the selection, or 0 if it is not a movement
// key.
func step(k string, page int) int {
	switch k {
	case "up", "ctrl+p", "k":
		return -1
	case "down", "ctrl+n", "j":
		return 1
	case "pgup":
		return -page
	case "pgdown":
		return page
	case "home", "g":
		return -1 << 20
	case "end", "G":
		return 1 << 20
	}
	return 0
}
