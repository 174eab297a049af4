package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// columnsFrom is the minimum width for drawing the board's columns side by side; in less space they
// are stacked.
const columnsFrom = 110

func (s *boardScreen) draw(w, h int) block {
	a := s.app
	var b block
	p := s.project()
	if p == nil {
		b.add("", a.look.soft.Render(" "+contracts.SayNoProject))
		return b
	}
	tasks := a.office.Rows().TasksOf(p.ProjectID)
	cancelled := 0
	for _, t := range tasks {
		if t.Status == contracts.TaskCancelled {
			cancelled++
		}
	}
	note := model.ProjectWords(p.Status) + fmt.Sprintf(" · work %d%%", model.ProjectPercent(tasks))
	if cancelled > 0 {
		note += fmt.Sprintf(" · %d cancelled", cancelled)
	}
	b.add(split(a.look.title.Render(" "+clip(model.Line(p.Title), w-34)), a.look.soft.Render(note+" "), w), s.tools(p))
	columns := s.columns(p)
	if wide(w) {
		side := w * 2 / 5
		list := s.drawLanes(columns, w-side, h-2)
		if w-side >= columnsFrom {
			list = s.drawColumns(columns, w-side, h-2)
		}
		b.put(a.splitView(list, s.drawDetail(side-2, h-2), w-side, h-2))
	} else if w >= columnsFrom {
		b.put(s.drawColumns(columns, w, h-2))
	} else {
		b.put(s.drawLanes(columns, w, h-2))
	}
	return b
}

// tools returns the line with the keys that act on the whole project, or "" for viewers.
func (s *boardScreen) tools(p *contracts.Project) string {
	a := s.app
	var parts []string
	tool := func(key, words string) { parts = append(parts, a.look.key.Render(key)+a.look.soft.Render(" "+words)) }
	if a.office.Access != contracts.AccessOperator {
		return ""
	}
	if n := len(a.office.Rows().Unstarted(p)); n > 0 {
		parts = append(parts, a.look.need.Render(fmt.Sprintf("U Auto-assign %d", n)))
	}
	switch p.Status {
	case contracts.ProjectPaused:
		tool("Z", contracts.SayResume)
	case contracts.ProjectCompleted, contracts.ProjectArchived:
	default:
		tool("Z", contracts.SayPause)
	}
	return " " + strings.Join(parts, "   ")
}

// drawLanes draws the columns stacked, one below the other.
func (s *boardScreen) drawLanes(columns []model.Column, w, h int) block {
	a := s.app
	var b block
	chosen := 0
	for _, c := range columns {
		if len(c.Tasks) == 0 {
			continue
		}
		b.add(a.look.soft.Render(fmt.Sprintf(" %s %d", c.Title, len(c.Tasks))))
		for _, t := range c.Tasks {
			if t.TaskID == s.task {
				chosen = len(b.lines)
			}
			b.button(s.line(&t, w), func() tea.Cmd { return s.press(t.TaskID) })
		}
	}
	if len(b.lines) == 0 {
		words := " Tasks appear after the kickoff."
		if s.filter.text != "" {
			words = " No task matches the filter."
		}
		b.add("", a.look.soft.Render(words))
	}
	top := max(0, min(chosen-h/2, len(b.lines)-h))
	return b.from(top)
}

// press selects a task, or opens its menu if it is already selected.
func (s *boardScreen) press(id string) tea.Cmd {
	if t := s.app.office.Rows().Task(id); s.task == id && t != nil {
		s.menu(t)
	}
	s.task = id
	return nil
}

func (s *boardScreen) line(t *contracts.Task, w int) string {
	a := s.app
	sign, style := a.look.ofTask(t.Status)
	right := clip(s.foot(t), w*2/5)
	if t.TaskID == s.task {
		return a.look.picked.Render(split(" › "+sign+" "+model.Line(t.Title), right+" ", w))
	}
	return split("   "+style.Render(sign)+" "+model.Line(t.Title), a.look.soft.Render(right+" "), w)
}

// foot returns a task's assignee, or the task's kind if there is no assignee, followed by the
// progress or the reason the task is blocked.
func (s *boardScreen) foot(t *contracts.Task) string {
	who := string(t.Kind)
	if t.Assignee != "" {
		who = model.Line(s.app.office.Rows().Name(t.Assignee))
	}
	badge, _ := s.app.look.verdictBadge(t.Verdict)
	who = joinNonEmpty(" · ", badge, who)
	switch t.Status {
	case contracts.TaskInProgress:
		return fmt.Sprintf("%s · %d%%", who, model.Percent(t))
	case contracts.TaskBlocked:
		return joinNonEmpty(" · ", who, model.Line(t.BlockedReason))
	}
	return who
}

func (s *boardScreen) drawColumns(columns []model.Column, w, h int) block {
	a := s.app
	cw := (w - 1 - 2*(len(columns)-1)) / len(columns)
	out := block{lines: slices.Repeat([]string{" "}, h)}
	for i, c := range columns {
		var b block
		_, style := a.look.ofTask(c.Status)
		b.add(style.Render(fmt.Sprintf("%s %d", c.Title, len(c.Tasks))), a.look.rule.Render(strings.Repeat("─", cw)))
		chosen := 0
		for _, t := range c.Tasks {
			card := s.card(&t, cw)
			if t.TaskID == s.task {
				chosen = len(b.lines)
			}
			b.put(card)
		}
		if len(c.Tasks) == 0 {
			b.add(a.look.soft.Render("  " + contracts.SayNothingHere))
		}
		if len(b.lines) > h {
			b = b.from(max(0, min(chosen-h/2, len(b.lines)-h)))
		}
		b = b.fit(cw, h)
		for y := range out.lines {
			if i > 0 {
				out.lines[y] += "  "
			}
			out.lines[y] += b.lines[y]
		}
		out.zones = append(out.zones, moved(b.zones, 1+i*(cw+2), 0)...)
	}
	return out
}

func (s *boardScreen) card(t *contracts.Task, w int) block {
	a := s.app
	var b block
	for i, line := range wrapped(t.Title, w-2, 3) {
		switch {
		case t.TaskID != s.task:
			line = "  " + line
		case i == 0:
			line = a.look.picked.Render(pad("› "+line, w))
		default:
			line = a.look.picked.Render(pad("  "+line, w))
		}
		b.add(line)
	}
	b.add(a.look.soft.Render("  " + clip(s.foot(t), w-2)))
	if t.Status == contracts.TaskInProgress {
		b.add("  " + a.look.bar(model.Percent(t), w-2))
	}
	b.zones = append(b.zones, zone{0, 0, w, len(b.lines), func() tea.Cmd { return s.press(t.TaskID) }})
	b.add("")
	return b
}
