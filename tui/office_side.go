package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/tui/model"
)

// drawSide is who is here, what waits and how far things are.
func (s *officeScreen) drawSide(w, h int) block {
	a := s.app
	var b block
	needs := a.office.Rows().Needs()
	rest := s.drawProject(w)
	room := h - len(rest.lines) - 1
	if len(needs) > 0 {
		room -= min(len(needs), 4) + 2
	}
	b.put(a.drawRoll(w, max(3, room)))
	if len(needs) > 0 {
		b.add("", a.look.need.Render("Needs you"))
		for _, n := range needs[:min(len(needs), 4)] {
			b.button(a.needLine(n, w), func() tea.Cmd { a.goNeed(n.Ref); return nil })
		}
	}
	b.add("")
	b.put(rest)
	return b
}

// drawRoll is everybody in a line each, as far as there is room.
func (a *app) drawRoll(w, room int) block {
	var b block
	list := a.everybody()
	at := slices.IndexFunc(list, func(p contracts.Agent) bool { return p.AgentID == a.selected })
	from := 0
	if len(list) > room {
		from = max(0, min(at-room/2, len(list)-room+1))
		room--
	}
	for i := from; i < min(len(list), from+room); i++ {
		p := list[i]
		b.button(a.rollLine(i, &p, w), func() tea.Cmd { return a.pick(p.AgentID) })
	}
	if left := len(list) - from - room; left > 0 {
		b.add(a.look.soft.Render(fmt.Sprintf("    and %d more", left)))
	}
	return b
}

func (a *app) rollLine(i int, p *contracts.Agent, w int) string {
	key := " "
	if i < 9 {
		key = itoa(i + 1)
	}
	sign, style := a.look.doing(p)
	name := pad(model.Line(p.Name), 11)
	if p.AgentID == a.selected {
		return a.look.picked.Render(pad(key+"›"+sign+" "+name+" "+model.Doing(p), w))
	}
	return a.look.soft.Render(key) + " " + style.Render(sign) + " " + name + " " + style.Render(clip(model.Doing(p), w-16))
}

// needLine is a need that waits for its turn.
func (a *app) needLine(n model.Need, w int) string {
	sign := map[model.NeedKind]string{model.NeedDecision: "?", model.NeedPermission: "!", model.NeedReview: "◆"}[n.Kind]
	who := ""
	if n.AgentID != "" {
		who = model.Line(a.office.Rows().Name(n.AgentID)) + ": "
	}
	return a.look.need.Render(sign+" ") + clip(who+model.Line(n.Title), w-2)
}

// drawProject is the project at a glance.
func (s *officeScreen) drawProject(w int) block {
	a := s.app
	var b block
	rows := a.office.Rows()
	p := rows.MainProject(a.project)
	if p == nil {
		b.add(a.look.soft.Render("No project yet."), a.look.soft.Render("Ask the office for something: /"))
		return b
	}
	tasks := rows.TasksOf(p.ProjectID)
	done := 0
	for _, t := range tasks {
		if t.Status == contracts.TaskDone {
			done++
		}
	}
	percent := model.ProjectPercent(tasks)
	b.button(a.look.strong.Render(clip(model.Line(p.Title), w)), func() tea.Cmd { return a.show(model.Ref{Kind: "project", ID: p.ProjectID}) })
	said := "Being planned"
	if len(tasks) > 0 {
		said = fmt.Sprintf("%d of %d done · work %d %%", done, len(tasks), percent)
	}
	b.add(a.look.soft.Render(clip(model.ProjectWords(p.Status)+" · "+said, w)), a.look.bar(percent, w))
	if n := waiting(tasks); n > 0 && p.Status != contracts.ProjectPaused {
		b.button(a.look.need.Render(fmt.Sprintf("U Auto-assign %d", n)), a.handOut)
	}
	return b
}
