package tui

import (
	"fmt"
	"math"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/tui/model"
)

// What workflows announce (U1), as web/src/overlay/frame/{status_line,notice}.tsx
// say it.
const (
	bulletinRows  = 3
	bulletinSmall = 1 // in a low terminal
	bulletinLow   = 30
	noticeSmall   = 2
	statusChars   = 160
	noticeChars   = 2000
	noticeFor     = 20_000 // good and plain news go by themselves; warnings and errors stay until they are dismissed
	noticeLines   = 4
)

// statusWords are the line of a run: what it says, and how far it is.
func statusWords(rows *model.Rows, s *model.Status) (words, far string) {
	said, _, _ := strings.Cut(s.Text, "\n")
	if r := []rune(said); len(r) > statusChars {
		said = string(r[:statusChars])
	}
	words = said
	if s.AgentID != "" {
		words = rows.Name(s.AgentID) + ": " + said
	}
	if s.Percent != nil {
		far = fmt.Sprintf("%d %%", int(math.Round(*s.Percent)))
		if s.ETA != nil {
			far += " · " + model.Duration(int64(*s.ETA*1000)) + " left"
		}
	}
	return words, far
}

// shownStatuses are the newest few that hold; a question only while it is open.
func (a *app) shownStatuses() []model.Status {
	var list []model.Status
	for _, s := range a.office.Statuses() {
		if s.Kind == contracts.UIAsk {
			if d := a.office.Rows().Decision(s.DecisionID); d == nil || d.Status != contracts.DecisionOpen {
				continue
			}
		}
		list = append(list, s)
	}
	return newest(list, a.bulletinRows())
}

// shownNotices are what workflows told the person since we look, the newest few.
func (a *app) shownNotices() []model.Notice {
	var list []model.Notice
	for _, n := range a.office.Notices() {
		lasts := n.Level == "warning" || n.Level == "error" || a.office.Now()-n.TS < noticeFor
		if !n.Replay && !a.dismissed[n.ID] && lasts {
			list = append(list, n)
		}
	}
	return newest(list, a.bulletinRows())
}

func (a *app) bulletinRows() int {
	if a.h < bulletinLow {
		return bulletinSmall
	}
	return bulletinRows
}

func newest[T any](list []T, n int) []T {
	return list[max(0, len(list)-n):]
}

// noticeHead is who says something, and its title.
func noticeHead(rows *model.Rows, n *model.Notice) string {
	var parts []string
	if n.AgentID != "" {
		parts = append(parts, rows.Name(n.AgentID))
	}
	switch {
	case n.Title != "":
		parts = append(parts, n.Title)
	case n.Level == "warning":
		parts = append(parts, "Warning")
	case n.Level == "error":
		parts = append(parts, "Error")
	}
	return strings.Join(parts, " · ")
}

func noticeText(n *model.Notice) string {
	if r := []rune(n.Text); len(r) > noticeChars {
		return string(r[:noticeChars]) + "…"
	}
	return n.Text
}

// drawBulletin draws messages and statuses above the bottom.
func (a *app) drawBulletin(w int) block {
	var b block
	rows := a.office.Rows()
	for _, n := range a.shownNotices() {
		sign, style := a.noticeLook(n.Level)
		most := noticeLines
		if a.h < bulletinLow {
			most = noticeSmall
		}
		lines := wrapped(noticeText(&n), w-4, most)
		if head := model.Line(noticeHead(rows, &n)); head != "" {
			b.add(style.Render(" "+sign+" ") + a.look.strong.Render(clip(head, w-14)) + a.look.soft.Render("  x dismiss"))
		} else if len(lines) > 0 {
			b.add(style.Render(" "+sign+" ") + clip(lines[0], w-4))
			lines = lines[1:]
		}
		for _, line := range lines {
			b.add("   " + line)
		}
	}
	for _, s := range a.shownStatuses() {
		words, far := statusWords(rows, &s)
		right := ""
		if far != "" {
			right = a.look.bar(int(*s.Percent), 12) + " " + far + " "
		}
		if s.DecisionID != "" {
			right = a.look.need.Render("Space answers ")
		}
		b.add(split(a.look.info.Render(" ‹› ")+model.Line(words), right, w))
	}
	return b
}

func (a *app) noticeLook(level string) (sign string, style lipgloss.Style) {
	switch level {
	case "success":
		return "✓", a.look.good
	case "warning":
		return "!", a.look.need
	case "error":
		return "✗", a.look.bad
	}
	return "•", a.look.info
}

// dismiss takes the newest message away.
func (a *app) dismiss() bool {
	list := a.shownNotices()
	if len(list) == 0 {
		return false
	}
	a.dismissed[list[len(list)-1].ID] = true
	return true
}
