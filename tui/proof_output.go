package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// outputKeys are the keys that show the outputs of the first checks of a receipt.
const outputKeys = "123456789"

// resultOf returns the office's own result for a check, or nil if there is none.
func resultOf(t *contracts.Task, name string) *contracts.CheckResult {
	i := slices.IndexFunc(t.Checks, func(r contracts.CheckResult) bool { return r.Name == name && !r.Hosted() })
	if i < 0 {
		return nil
	}
	return &t.Checks[i]
}

// openOutput shows the output of the check that a key selects on a task's receipt. It returns false
// if the key does not select a check.
func (a *app) openOutput(id, key string) (tea.Cmd, bool) {
	t, n := a.office.Rows().Task(id), strings.Index(outputKeys, key)
	if t == nil || t.Worktree == nil || len(key) != 1 || n < 0 || n >= len(t.Worktree.Checks) {
		return nil, false
	}
	name := t.Worktree.Checks[n].Name
	r := resultOf(t, name)
	if r == nil || r.LogSHA256 == "" {
		return nil, true
	}
	page := &pageDialog{app: a, title: fmt.Sprintf(contracts.SayOutputOf, model.Line(name))}
	page.lines = a.outputLines(content{busy: true})
	a.dialog = page
	return later(func() func() tea.Cmd {
		body, err := a.conn.Get(a.ctx, contracts.CheckOutputPath(id, name), contracts.LimitCheckLog*2)
		return func() tea.Cmd {
			if err != nil {
				page.lines = a.outputLines(content{err: fmt.Sprintf(contracts.SayOutputFailed, err.Error()+".")})
				return nil
			}
			page.lines = a.outputLines(content{text: model.Plain(strings.TrimRight(string(body), "\n"))})
			page.scroll(step("end", 0)) // errors are usually at the end
			return nil
		}
	}), true
}

// outputLines returns a function that wraps the output into lines of at most w columns.
func (a *app) outputLines(c content) func(w int) []string {
	switch {
	case c.busy:
		return func(int) []string { return []string{a.look.soft.Render(contracts.SayOpening)} }
	case c.err != "":
		return func(w int) []string { return painted(a.look.bad, wrapped(c.err, w, 4)) }
	}
	var lines []string
	width := 0
	return func(w int) []string {
		if w != width { // wrapping is slow
			lines, width = wrap(strings.ReplaceAll(c.text, "\t", "    "), w), w
		}
		return lines
	}
}
