package tui

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// Limits for workflow announcements (U1), as in web/src/overlay/frame/{status_line,notice}.tsx.
const (
	bulletinRows  = 3
	bulletinSmall = 1 // replaces bulletinRows in a terminal with fewer than bulletinLow lines
	bulletinLow   = 30
	noticeSmall   = 2
	statusChars   = 160
	noticeChars   = 2000
	noticeFor     = 20_000 // how long an informational message is shown, in milliseconds; warnings and errors stay until dismissed
	noticeLines   = 4
)

// statusWords returns a status as one line, and its progress, which is "" if it is unknown.
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
		far = fmt.Sprintf("%d%%", int(math.Round(*s.Percent)))
		if s.ETA != nil {
			far += " · " + fmt.Sprintf(contracts.SayLeft, contracts.FormatDuration(int64(*s.ETA*1000)))
		}
	}
	return words, far
}

// statuses returns all statuses except those of agents that have left and of questions that are no
// longer open.
func (a *app) statuses() (list []model.Status) {
	for _, s := range a.office.Statuses() {
		if s.AgentID != "" && a.office.Rows().Agent(s.AgentID) == nil {
			continue // an agent that has left has no status
		}
		if s.Kind == contracts.UIAsk {
			if d := a.office.Rows().Decision(s.DecisionID); d == nil || d.Status != contracts.DecisionOpen {
				continue
			}
		}
		list = append(list, s)
	}
	return list
}

// shownStatuses returns the newest statuses, as many as fit above the input field.
func (a *app) shownStatuses() []model.Status { return newest(a.statuses(), a.bulletinRows()) }

// shownNotices returns the newest messages to show above the input field: those that have arrived
// since this program connected, have not been dismissed and are not outdated.
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

// noticeHead returns the sender and the title of a workflow message on one line. If a warning or
// error has no title, its level is shown instead.
func noticeHead(rows *model.Rows, n *model.Notice) string {
	var parts []string
	if n.AgentID != "" {
		parts = append(parts, rows.Name(n.AgentID))
	}
	switch {
	case n.Title != "":
		parts = append(parts, n.Title)
	case n.Level == "warning" || n.Level == "error":
		parts = append(parts, contracts.NoticeLevelWords[n.Level])
	}
	return strings.Join(parts, " · ")
}

// noticeTitle returns the title of a message, or the name of its level.
func noticeTitle(n *model.Notice) string {
	if n.Title != "" {
		return n.Title
	}
	return cmp.Or(contracts.NoticeLevelWords[n.Level], contracts.NoticeLevelWords["info"])
}

func noticeText(n *model.Notice) string {
	if r := []rune(n.Text); len(r) > noticeChars {
		return string(r[:noticeChars]) + "…"
	}
	return n.Text
}

const readsAll = "  L shows all"

// drawBulletin draws the workflow messages and statuses above the input field.
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
		if len(wrap(noticeText(&n), w-4)) > most {
			end := &lines[most-1]
			*end = clip(strings.TrimRight(*end, " …")+" …", w-4-len(readsAll)) + a.look.soft.Render(readsAll)
		}
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
	shown := a.shownStatuses()
	for i, s := range shown {
		words, far := statusWords(rows, &s)
		right := ""
		if far != "" {
			right = a.look.bar(int(*s.Percent), 12) + " " + far + " "
		}
		if age := a.office.Now() - s.TS; age >= contracts.StatusAged.Milliseconds() {
			right = a.look.soft.Render(model.Ago(age)+" ") + right
		}
		if s.DecisionID != "" {
			right = a.look.need.Render("asks you ")
		}
		if n := len(a.statuses()) - len(shown); n > 0 && i == len(shown)-1 {
			right += a.look.soft.Render(fmt.Sprintf(" L: %d more ", n))
		}
		b.button(split(a.look.info.Render(" ‹› ")+model.Line(words), right, w), func() tea.Cmd {
			if s.DecisionID != "" {
				a.goNeed(s.DecisionID)
			}
			return nil
		})
	}
	return b
}

// readBulletin opens a page with all workflow statuses and messages in full.
func (a *app) readBulletin() {
	statuses, notices := a.statuses(), a.office.Notices()
	a.dialog = &pageDialog{app: a, title: contracts.SayWorkflowNotices, lines: func(w int) (lines []string) {
		rows := a.office.Rows()
		for _, s := range slices.Backward(statuses) {
			words, far := statusWords(rows, &s)
			lines = append(lines, wrap("‹› "+joinNonEmpty(" · ", words, far, model.Ago(a.office.Now()-s.TS)), w)...)
		}
		for _, n := range slices.Backward(notices) {
			if len(lines) > 0 {
				lines = append(lines, "")
			}
			sign, style := a.noticeLook(n.Level)
			lines = append(lines, split(style.Render(sign+" ")+a.look.strong.Render(model.Line(noticeHead(rows, &n))), a.look.soft.Render(model.Ago(a.office.Now()-n.TS)), w))
			lines = append(lines, indent(wrap(noticeText(&n), w-2))...)
		}
		if len(lines) == 0 {
			lines = []string{a.look.soft.Render("No workflow messages yet.")}
		}
		return lines
	}}
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

// dismiss hides the newest visible message. It returns false if none is visible.
func (a *app) dismiss() bool {
	list := a.shownNotices()
	if len(list) == 0 {
		return false
	}
	a.dismissed[list[len(list)-1].ID] = true
	return true
}
