package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

// View draws the frame and stores its clickable zones.
func (a *app) View() tea.View {
	b := a.frame()
	a.zones = b.zones
	v := tea.NewView(safe(strings.Join(b.lines, "\n"), a.look.ascii))
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "Bullpen"
	if n := len(a.office.Rows().Needs()); n > 0 {
		v.WindowTitle = fmt.Sprintf("Bullpen (%d)", n)
	}
	return v
}

// frame returns the whole screen, exactly as large as the terminal.
func (a *app) frame() block {
	if a.w == 0 || a.h == 0 {
		return block{}
	}
	if a.w < leastWidth || a.h < leastHeight {
		return a.tooSmall()
	}
	if chat, open := a.screen().(*chatScreen); open {
		chat.markRead()
	}
	var b block
	b.add(a.drawHead())
	b.put(a.drawTabs())
	b.add(a.look.rule.Render(strings.Repeat("─", a.w)))
	if why := a.disabledReason(); why != "" && a.state.Phase != link.Connecting {
		b.add(a.drawBanner(why)...)
	}
	foot := a.drawFoot()
	if room := a.h - len(b.lines) - len(foot.lines); room > 0 {
		b.put(a.screen().draw(a.w, room).fit(a.w, room))
		foot.lines[len(foot.lines)-1] = a.drawHints() // some hints depend on what was drawn
	}
	b.put(foot)
	b = b.fit(a.w, a.h)
	if a.dialog != nil {
		d := a.dialog.draw(a.w, a.h)
		w := lipgloss.Width(d.lines[0])
		b = over(b, d, max(0, (a.w-w)/2), max(0, (a.h-len(d.lines))/2))
	}
	return b
}

func (a *app) tooSmall() block {
	var b block
	for _, line := range wrap(fmt.Sprintf("Bullpen needs %d×%d characters; this terminal has %d×%d. Enlarge it, or press q to quit.", leastWidth, leastHeight, a.w, a.h), max(1, a.w-1)) {
		b.add(line)
	}
	return b.fit(a.w, a.h)
}

// drawHead draws the office's name, the state of the connection, and the number of open
// needs.
func (a *app) drawHead() string {
	rows := a.office.Rows()
	word, more := linkWords(a.state, a.local())
	dot := a.look.bad
	switch a.state.Phase {
	case link.Live:
		dot = a.look.good
	case link.Connecting:
		dot = a.look.info
	}
	left := a.look.title.Render(" "+a.label()) + "  " + dot.Render("● "+word)
	if a.state.Phase == link.Live {
		more = a.counts(rows)
	}
	if more != "" {
		left += a.look.soft.Render("  " + more)
	}
	right := ""
	if n := len(rows.Needs()); n > 0 {
		right = a.look.need.Render("! " + contracts.SayThingsNeedYou.Of(n) + " ")
	}
	return split(left, right, a.w)
}

func (a *app) label() string {
	if a.office.Scene != nil && a.office.Scene.Label != "" {
		return model.Line(a.office.Scene.Label)
	}
	return contracts.SayViewOffice
}

func (a *app) counts(rows *model.Rows) string {
	crew, guests := rows.People()
	var parts []string
	if len(crew) > 0 || len(guests) == 0 {
		parts = append(parts, contracts.SayCrew.Of(len(crew)))
	}
	if len(guests) > 0 {
		parts = append(parts, contracts.SayGuests.Of(len(guests)))
	}
	if n := len(rows.Rooms); n > 0 {
		parts = append(parts, model.Counted(n, "studio", "studios"))
	}
	projects := 0
	for _, p := range rows.Projects {
		if p.Status != contracts.ProjectCompleted && p.Status != contracts.ProjectArchived {
			projects++
		}
	}
	if projects > 0 || len(crew) > 0 {
		parts = append(parts, contracts.SayProjects.Of(projects))
	}
	if u := rows.Usage; u != nil {
		cost := cmp.Or(model.CostShort(u.Today), "$0.00")
		parts = append(parts, cost+" today")
	}
	return strings.Join(parts, " · ")
}

// drawBanner draws a warning that explains why commands are disabled.
func (a *app) drawBanner(why string) []string {
	if a.state.Reason != "" && a.state.Phase != link.Refused {
		why = a.state.Reason + " " + why
	}
	if a.state.Phase == link.Stale || a.state.Phase == link.Offline {
		why += " Press R to retry now."
	}
	lines := wrapped(why, a.w-4, 3)
	for i := range lines {
		sign := "   "
		if i == 0 {
			sign = " ! "
		}
		lines[i] = a.look.bad.Render(sign) + lines[i]
	}
	return lines
}

// drawFoot draws the lines below every view: announcements, answers that can be undone, the input
// or filter field, and the keys.
func (a *app) drawFoot() block {
	b := a.drawBulletin(a.w)
	b.put(a.drawUndo(a.w))
	b.add(a.look.rule.Render(strings.Repeat("─", a.w)))
	if line := a.drawFind(a.w); line != "" && a.composer == nil {
		b.add(line)
	} else {
		b.put(a.drawComposer(a.w))
	}
	b.add(a.drawHints())
	return b
}

// drawHints draws the last line: recent toasts, or the keys.
func (a *app) drawHints() string {
	line := ""
	for _, t := range slices.Backward(a.toasts) { // newest first, because the end may be cut
		if a.local().Before(t.until) {
			style := map[tone]lipgloss.Style{tonePlain: a.look.info, toneGood: a.look.good, toneBad: a.look.bad}[t.tone]
			sign := map[tone]string{tonePlain: "•", toneGood: "✓", toneBad: "✗"}[t.tone]
			line += style.Render(" " + sign + " " + t.text + " ")
		}
	}
	if line != "" {
		return clip(line, a.w)
	}
	line = " "
	for _, h := range a.allHints() {
		part := a.look.key.Render(h.key) + a.look.soft.Render(" "+h.does) + "  "
		if lipgloss.Width(line)+lipgloss.Width(part) > a.w {
			break
		}
		line += part
	}
	return line
}

func (a *app) allHints() []hint {
	if a.dialog != nil {
		return []hint{{"Esc", "close"}}
	}
	if a.composer != nil {
		return a.composer.hints()
	}
	if _, f := a.finding(); f != nil && f.typing {
		return []hint{{"Enter", "keep"}, {"Esc", "clear"}, {"↑↓", "move"}}
	}
	list := a.screen().hints()
	if len(a.open) > 0 {
		list = append(list, hint{"Esc", "back"})
	}
	list = append(list, hint{"?", "keys"})
	if len(a.office.Rows().Needs()) > 0 {
		list = append(list, hint{"Space", "next need"})
	}
	return append(list, hint{"^K", "find"}, hint{"q", "quit"})
}
