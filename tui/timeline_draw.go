package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

func (s *timelineScreen) draw(w, h int) block {
	a := s.app
	rows := s.rows()
	s.sync(rows)
	var b block
	b.add(s.drawTop(rows, w), s.drawBar(rows, w))
	s.page = max(1, h-3)
	side := 0
	if w >= detailFrom {
		side = w / 3
	}
	var left block
	if len(rows) == 0 {
		words := " Nothing here yet."
		if len(a.office.Feed()) > 0 {
			words = " Nothing here matches the filter."
		}
		left.add("", a.look.soft.Render(words))
	}
	from, to := s.list.window(len(rows), s.page)
	for i := from; i < to; i++ {
		r := rows[i]
		left.button(s.line(r, i == s.list.at, w-side), func() tea.Cmd {
			again := s.list.at == i
			s.list.at = i
			s.pin(rows)
			if again {
				return s.open(r)
			}
			return nil
		})
	}
	if to == len(rows) && s.older.busy {
		left.add(a.look.soft.Render("   Loading older events…"))
	}
	if side > 0 && len(rows) > 0 {
		left = sideBySide(left, s.drawDetail(rows[s.list.at], side-2), w-side, "  ")
	}
	b.put(left)
	return b
}

// drawTop draws the active filters and the time of the selected line.
func (s *timelineScreen) drawTop(rows []feedLine, w int) string {
	a := s.app
	f := s.filter
	words := f.Kind.Words
	if words == "" {
		words = model.FeedKinds[0].Words
	}
	parts := []string{words}
	if f.Agent != "" {
		parts = append(parts, a.office.Rows().Name(f.Agent))
	}
	if p := a.office.Rows().Project(f.Project); p != nil {
		parts = append(parts, p.Title)
	}
	right := ""
	if len(rows) > 0 {
		right = time.UnixMilli(rows[s.list.at].ts).In(a.local().Location()).Format("2 Jan 15:04:05") + " · " + model.Ago(a.office.Now()-rows[s.list.at].ts) + " "
	}
	return split(a.look.title.Render(" "+model.Line(strings.Join(parts, " · "))), a.look.soft.Render(right), w)
}

var barSigns = []rune("▁▂▃▄▅▆▇█")

// drawBar draws a bar chart of the loaded lines over time, oldest on the left. It marks the moments
// when a person was needed, and the selected line.
func (s *timelineScreen) drawBar(rows []feedLine, w int) string {
	a := s.app
	w -= 2
	if len(rows) < 2 || w < 10 {
		return ""
	}
	first, last := rows[len(rows)-1].ts, rows[0].ts
	if last <= first {
		return ""
	}
	at := func(ts int64) int {
		return max(0, min(int((ts-first)*int64(w-1)/(last-first)), w-1))
	}
	count, needed, most := make([]int, w), make([]bool, w), 1
	for _, r := range rows {
		i := at(r.ts)
		count[i]++
		most = max(most, count[i])
		needed[i] = needed[i] || r.event != nil && model.NeededYou(r.event)
	}
	here := at(rows[s.list.at].ts)
	var b strings.Builder
	b.WriteString(" ")
	for i, n := range count {
		sign := " "
		if n > 0 {
			sign = string(barSigns[(n*(len(barSigns)-1)+most-1)/most])
		}
		switch {
		case i == here:
			b.WriteString(a.look.picked.Render("│"))
		case needed[i]:
			b.WriteString(a.look.need.Render("!"))
		default:
			b.WriteString(a.look.soft.Render(sign))
		}
	}
	return b.String()
}

func (s *timelineScreen) line(r feedLine, picked bool, w int) string {
	a := s.app
	clock := time.UnixMilli(r.ts).In(a.local().Location()).Format("15:04:05")
	sign, style := " ", a.look.strong
	head, who, about := s.lineWords(r)
	tone := a.look.need
	if r.event != nil && model.NeededYou(r.event) {
		sign, style = "!", a.look.need
	}
	if r.notice != nil {
		sign, tone = a.noticeLook(r.notice.Level)
		style = tone
	}
	if r.event != nil && r.event.Decor != nil {
		sign, style = "★", a.look.need
		about = joinNonEmpty(" · ", "A trophy for the shelf", about)
	}
	text := joinNonEmpty(" · ", who, model.Line(about))
	if picked {
		return a.look.picked.Render(pad("›"+clock+" "+sign+" "+pad(head, 19)+" "+text, w))
	}
	if r.replay {
		style = style.Bold(false)
	}
	return clip(a.look.soft.Render(" "+clock)+" "+tone.Render(sign)+" "+style.Render(pad(head, 19))+" "+a.look.soft.Render(text), w)
}

// lineWords returns the three parts of a line: what happened, the agent's name, and the details.
func (s *timelineScreen) lineWords(r feedLine) (head, who, about string) {
	rows := s.app.office.Rows()
	switch {
	case r.notice != nil:
		head, who, about = model.Line(noticeTitle(r.notice)), r.notice.AgentID, r.notice.Text
	case r.ui != nil:
		head, who, about = model.Line(r.ui.Name), r.ui.AgentID, uiWords(r.ui)
	default:
		head, who, about = model.Line(model.Head(r.event)), r.event.AgentID, rows.About(r.event)
	}
	if who != "" {
		who = model.Line(rows.Name(who))
	}
	return head, who, about
}

// uiWords returns the text of a workflow event, or why the event was ignored.
func uiWords(u *contracts.UI) string {
	if u.Ignored != "" {
		return "ignored: " + u.Ignored
	}
	return model.SaidIn(u.Normalized)
}

// drawDetail draws everything about the selected line.
func (s *timelineScreen) drawDetail(r feedLine, w int) block {
	a := s.app
	var b block
	if r.notice != nil {
		b.add(a.look.strong.Render(clip(model.Line(noticeTitle(r.notice)), w)))
		b.add(wrap(r.notice.Text, w)...)
		return b
	}
	if r.ui != nil {
		b.add(a.look.strong.Render(clip(model.Line(r.ui.Name), w)))
		b.add(a.jsonLines("normalized", r.ui.Normalized, w)...)
		b.add(a.jsonLines("raw", r.ui.Raw, w)...)
		return b
	}
	e := r.event
	b.add(a.look.strong.Render(clip(model.Line(model.Head(e)), w)))
	b.add(wrapped(a.office.Rows().About(e), w, 6)...)
	for _, f := range []struct{ name, value string }{
		{"who", nameIf(a, e.AgentID)}, {"from", nameIf(a, e.FromAgentID)}, {"choice", e.Choice}, {"note", e.Note}, {"instructions", e.Instructions}, {"reason", e.Reason},
		{"event", string(e.Name)}, {"project", e.ProjectID}, {"task", e.TaskID}, {"artifact", e.ArtifactID}, {"decision", e.DecisionID}, {"id", r.id},
	} {
		if f.value != "" {
			b.add(clip(a.look.soft.Render(pad(f.name, 9))+" "+model.Line(f.value), w))
		}
	}
	if e.Percent > 0 {
		b.add(a.look.soft.Render(pad("done", 9)) + fmt.Sprintf(" %d%%", e.Percent))
	}
	return b
}

func nameIf(a *app, id string) string {
	if id == "" {
		return ""
	}
	return a.office.Rows().Name(id)
}
