package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

// newRequest returns the composer for requests to the office. Tasks are assigned
// automatically, unless the person wants to see the plan first.
func (a *app) newRequest() *composer {
	return &composer{
		name: "request", label: contracts.SayAskTheOffice, asks: "for anything…", limit: contracts.LimitRequestText, more: func() { a.chooseConstraints(0) }, extras: a.requestWords,
		flip: func() { a.planFirst = !a.planFirst }, flips: a.flipWords,
		send: func(text string, then func(link.Reply) tea.Cmd) tea.Cmd {
			data := contracts.SubmitRequest{Text: text, AutoAssign: !a.planFirst, Repo: a.repo}
			for kind, value := range a.constraints {
				if data.Constraints == nil {
					data.Constraints = map[string]any{}
				}
				data.Constraints[kind] = value
			}
			return a.act(data, contracts.SayOnIt, then)
		},
		done: func() { clear(a.constraints) },
	}
}

// chooseConstraints opens the menu of constraints and selects the entry at position at. The menu
// stays open until Esc closes it.
func (a *app) chooseConstraints(at int) {
	items := a.repoChoices()
	for _, w := range contracts.Constraints {
		items = append(items, choice{label: strings.ToUpper(w.Kind[:1]) + w.Kind[1:], head: true})
		for _, value := range w.Values {
			here := len(items)
			items = append(items, choice{label: value, hint: mark(a.constraints[w.Kind] == value), run: func() tea.Cmd {
				if a.constraints[w.Kind] == value {
					delete(a.constraints, w.Kind)
				} else {
					a.constraints[w.Kind] = value
				}
				a.chooseConstraints(here)
				return nil
			}})
		}
	}
	a.openMenu(contracts.SayThingConstraints, "Enter chooses, Esc goes back to the request.", items)
	if m := a.dialog.(*menuDialog); at > 0 {
		m.list.at = at
	}
}

// repoChoices returns the entries that choose the repository of a request; none if the office has no
// repositories.
func (a *app) repoChoices() (items []choice) {
	repos := a.office.Rows().Repos
	if len(repos) == 0 {
		a.repo = ""
		return nil
	}
	items = append(items, choice{label: contracts.SayThingRepo, head: true})
	add := func(label, name string) {
		here := len(items)
		items = append(items, choice{label: label, hint: mark(a.repo == name), run: func() tea.Cmd {
			a.repo = name
			a.chooseConstraints(here)
			return nil
		}})
	}
	add(contracts.SayNoRepo, "")
	for _, r := range repos {
		add(model.Line(r.Name), r.Name)
	}
	return items
}

// flipWords returns the hint for Ctrl S, which says what the key would do now.
func (a *app) flipWords() string {
	if a.planFirst {
		return "start automatically"
	}
	return "ask me before work starts"
}

// requestWords summarises the settings that are sent with the request.
func (a *app) requestWords() string {
	chosen := []string{"starts automatically"}
	if a.planFirst {
		chosen[0] = "waits for you to start it"
	}
	if a.repo != "" {
		chosen = append(chosen, "in "+a.repo)
	}
	for _, w := range contracts.Constraints {
		chosen = append(chosen, a.constraints[w.Kind])
	}
	return inOne(" · ", chosen...)
}

// mark returns a check mark for a selected entry, else "".
func mark(on bool) string {
	if on {
		return "✓"
	}
	return ""
}
