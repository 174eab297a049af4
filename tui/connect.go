package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// openConnect opens a page that lists the agents that can be connected, with the command for
// each.
func (a *app) openConnect() tea.Cmd {
	page := &pageDialog{app: a, title: contracts.SayViewConnect}
	page.lines = func(int) []string { return []string{a.look.soft.Render(contracts.SayCheckingMachine)} }
	a.dialog = page
	return later(func() func() tea.Cmd {
		var report contracts.ConnectReport
		err := a.conn.GetJSON(a.ctx, "/v1/connect", &report)
		return func() tea.Cmd {
			page.lines = func(w int) []string {
				if err != nil {
					return painted(a.look.bad, wrap(err.Error(), w))
				}
				return a.connectLines(&report, w)
			}
			return nil
		}
	})
}

func (a *app) connectLines(report *contracts.ConnectReport, w int) (lines []string) {
	if a.office.Rows().Rehearsing() {
		lines = append(painted(a.look.soft, wrap(contracts.SayCrewRehearses+" Run one of the commands below in a terminal to put a real agent at a desk.", w)), "")
	}
	for _, g := range contracts.ConnectGroups {
		lines = append(lines, a.look.title.Render(contracts.ConnectGroupWords[g]), "")
		for _, it := range report.Items {
			if it.Group != g {
				continue
			}
			style := a.look.info
			switch it.State {
			case contracts.ConnectMissing:
				style = a.look.soft
			case contracts.ConnectProblem:
				style = a.look.bad
			}
			lines = append(lines, split(a.look.strong.Render(model.Line(it.Name)), style.Render(contracts.ConnectStateWords[it.State]), w))
			lines = append(lines, wrap(it.Saw, w)...)
			lines = append(lines, painted(a.look.soft, wrap(it.Does, w))...)
			for _, line := range wrapSpans(plainSpans("$ "+it.Command, a.look.key), w) { // breaks between words, never inside a flag
				lines = append(lines, render(line.spans))
			}
			lines = append(lines, "")
		}
	}
	lines = append(lines, a.outpostLines(report.Outposts, w)...)
	return lines[:max(0, len(lines)-1)]
}

// outpostLines lists the machines that have joined the office.
func (a *app) outpostLines(outposts []contracts.OutpostHealth, w int) (lines []string) {
	if len(outposts) == 0 {
		return nil
	}
	lines = append(lines, a.look.title.Render(contracts.SayOutposts), "")
	for _, o := range outposts {
		style := a.look.info
		if o.State != contracts.OutpostLinkUp {
			style = a.look.bad
		}
		lines = append(lines, split(a.look.strong.Render(model.Line(o.Name)), style.Render(model.OutpostLinkWords(o.State)), w))
		lines = append(lines, wrap(model.OutpostWords(&o, a.office.Now()), w)...)
		if o.Problem != "" {
			lines = append(lines, painted(a.look.soft, wrap(o.Problem, w))...)
		}
		lines = append(lines, "")
	}
	return lines
}
