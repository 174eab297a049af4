package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

// newRequest returns the composer for requests to the office. Tasks are assigned automatically,
// unless the user wants to see the plan first.
func (a *app) newRequest() *composer {
	return &composer{
		name: "request", label: contracts.SayAskTheOffice, placeholder: "for anything…", limit: contracts.LimitRequestText, more: func() { a.chooseConstraints(0) }, extras: a.requestWords,
		flip: func() { a.planFirst = !a.planFirst }, flipHint: a.flipWords,
		send: func(text string, then func(link.Reply) tea.Cmd) tea.Cmd {
			data := contracts.SubmitRequest{Text: text, AutoAssign: !a.planFirst, Repo: a.repo}
			if a.repo != "" {
				data.Accept = a.accept
			}
			for kind, value := range a.constraints {
				if data.Constraints == nil {
					data.Constraints = map[string]any{}
				}
				data.Constraints[kind] = value
			}
			return a.act(data, contracts.SayOnIt, then)
		},
		done: func() {
			clear(a.constraints)
			a.accept = nil
		},
	}
}

// chooseConstraints opens the menu of constraints and selects the entry with index at. The menu
// stays open until Esc closes it.
func (a *app) chooseConstraints(at int) {
	items := a.repoChoices()
	if a.repo != "" {
		items = append(items, a.acceptChoices(len(items))...)
	}
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
	a.openMenu(contracts.SayThingConstraints, "Enter chooses; Esc goes back to the request.", items)
	if m := a.dialog.(*menuDialog); at > 0 {
		m.list.at = at
	}
}

// repoChoices returns the entries for choosing a request's repository, or none if the office has no
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

// acceptChoices returns the entries that remove and add a request's acceptance checks. at is the
// position of the first entry in the menu.
func (a *app) acceptChoices(at int) []choice {
	items := []choice{{label: contracts.SayHowDone, head: true}}
	for i, line := range a.accept {
		items = append(items, choice{label: model.Line(line), hint: mark(true), run: func() tea.Cmd {
			a.accept = slices.Delete(a.accept, i, i+1)
			a.chooseConstraints(at + 1)
			return nil
		}})
	}
	for _, word := range contracts.AcceptWords {
		if word.Example == "" && slices.Contains(a.accept, word.Word) {
			continue
		}
		items = append(items, choice{label: "+ " + word.Label, run: func() tea.Cmd {
			if word.Example != "" {
				a.dialog = nil
				return a.compose(a.newAccept(word, at))
			}
			if err := a.addAccept(word.Line("")); err != nil {
				a.toast(err.Error(), toneBad)
			}
			a.chooseConstraints(at + 1)
			return nil
		}})
	}
	return items
}

// newAccept returns the composer for the value of an acceptance check. Sending the value reopens the
// request.
func (a *app) newAccept(word contracts.AcceptWord, at int) *composer {
	return &composer{
		name: "accept " + word.Word, label: word.Label, placeholder: word.Example, limit: contracts.LimitAcceptLine,
		send: func(text string, then func(link.Reply) tea.Cmd) tea.Cmd {
			if err := a.addAccept(word.Line(text)); err != nil {
				return then(link.Reply{Message: err.Error()})
			}
			cmd := tea.Batch(then(link.Reply{OK: true}), a.compose(a.newRequest()))
			a.chooseConstraints(at + 1)
			return cmd
		},
	}
}

// addAccept adds an acceptance check to the request, unless it is invalid.
func (a *app) addAccept(line string) error {
	lines := append(slices.Clone(a.accept), line)
	if _, err := contracts.ParseAccept(lines); err != nil {
		return err
	}
	a.accept = lines
	return nil
}

// flipWords returns the hint for Ctrl S: what the key would do now.
func (a *app) flipWords() string {
	if a.planFirst {
		return "start automatically"
	}
	return "ask me before work starts"
}

// requestWords summarizes the settings that are sent with the request.
func (a *app) requestWords() string {
	chosen := []string{"starts automatically"}
	if a.planFirst {
		chosen[0] = "waits for you to start it"
	}
	if a.repo != "" {
		chosen = append(chosen, "in "+a.repo)
		if n := len(a.accept); n > 0 {
			chosen = append(chosen, contracts.SayAcceptChecks.Of(n))
		}
	}
	for _, w := range contracts.Constraints {
		chosen = append(chosen, a.constraints[w.Kind])
	}
	return joinNonEmpty(" · ", chosen...)
}

// mark returns a check mark for a selected entry, else "".
func mark(on bool) string {
	if on {
		return "✓"
	}
	return ""
}
