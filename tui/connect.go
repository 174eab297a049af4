package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/tui/model"
)

// connectReport is what can be connected on the machine of the office: GET /v1/connect.
type connectReport struct {
	Items []connectItem `json:"items"`
}

type connectItem struct {
	Group   string `json:"group"`
	Name    string `json:"name"`
	State   string `json:"state"`
	Saw     string `json:"saw"`
	Does    string `json:"does"`
	Command string `json:"command"`
}

var connectGroups = []struct{ group, title string }{
	{"desks", "Put real agents at the desks"}, {"guests", "See agents that run elsewhere"},
}

var connectStates = map[string]string{"connected": "Connected", "found": "Found", "ready": "Ready", "missing": "Not found", "problem": "Problem"}

// rehearsing reports whether everybody of the crew is scripted.
func (a *app) rehearsing() bool {
	crew, _ := a.office.Rows().People()
	return len(crew) > 0 && !slices.ContainsFunc(crew, func(p contracts.Agent) bool { return p.Runner != contracts.RunnerRehearsal })
}

// rehearsalWords explain the crew to somebody who sees it for the first time.
const rehearsalWords = "This is a rehearsal: the crew follows a script and uses no model."

// openConnect shows what can be connected and the one command for each.
func (a *app) openConnect() tea.Cmd {
	page := &pageDialog{app: a, title: "Connect"}
	page.lines = func(int) []string { return []string{a.look.soft.Render("Checking the office machine…")} }
	a.dialog = page
	return later(func() func() tea.Cmd {
		var report connectReport
		err := a.door.GetJSON(a.ctx, "/v1/connect", &report)
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

func (a *app) connectLines(report *connectReport, w int) (lines []string) {
	if a.rehearsing() {
		lines = append(painted(a.look.soft, wrap(rehearsalWords+" Run a command below in a terminal to put a real agent at a desk.", w)), "")
	}
	for _, g := range connectGroups {
		lines = append(lines, a.look.title.Render(g.title), "")
		for _, it := range report.Items {
			if it.Group != g.group {
				continue
			}
			style := a.look.info
			switch it.State {
			case "missing":
				style = a.look.soft
			case "problem":
				style = a.look.bad
			}
			lines = append(lines, split(a.look.strong.Render(model.Line(it.Name)), style.Render(connectStates[it.State]), w))
			lines = append(lines, wrap(it.Saw, w)...)
			lines = append(lines, painted(a.look.soft, wrap(it.Does, w))...)
			lines = append(lines, painted(a.look.key, wrap("$ "+it.Command, w))...)
			lines = append(lines, "")
		}
	}
	return lines[:max(0, len(lines)-1)]
}
