package tui

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// verdictBadge returns a verdict's badge (a sign and a word) and its style. Without a verdict, the
// badge is empty.
func (l *look) verdictBadge(v contracts.Verdict) (badge string, style lipgloss.Style) {
	sign := ""
	switch v {
	case contracts.VerdictProven:
		sign, style = "✓", l.good
	case contracts.VerdictPartly:
		sign, style = "◆", l.need
	case contracts.VerdictOnlySaid:
		sign, style = "○", l.soft
	case contracts.VerdictFailed:
		sign, style = "✗", l.bad
	default:
		return "", l.plain
	}
	return sign + " " + contracts.VerdictWords[v], style
}

// outcome returns the sign and the style of a check's result. The sign is neutral if the check ran
// on files other than those in tree, because such a result proves nothing.
func (l *look) outcome(r contracts.CheckResult, tree string) (sign string, style lipgloss.Style) {
	switch {
	case r.Tree != tree:
		return "○", l.soft
	case r.Passed():
		return "✓", l.good
	}
	return "✗", l.bad
}

// openReceipt shows what a task's verdict is based on.
func (a *app) openReceipt(id string) {
	if t := a.office.Rows().Task(id); t == nil || t.Verdict == "" || t.Worktree == nil {
		a.toast(contracts.SayNoChecks, tonePlain)
		return
	}
	a.dialog = &pageDialog{app: a, title: contracts.SayReceipt, lines: func(w int) []string {
		t := a.office.Rows().Task(id)
		if t == nil || t.Worktree == nil {
			return nil
		}
		return a.receiptLines(t, w)
	}, opens: func(key string) (tea.Cmd, bool) { return a.openOutput(id, key) }}
}

func (a *app) receiptLines(t *contracts.Task, w int) []string {
	l := &a.look
	badge, style := l.verdictBadge(t.Verdict)
	lines := painted(style, wrapped(fmt.Sprintf(contracts.SayVerdictOf, badge, contracts.VerdictNotes[t.Verdict]), w, 3))
	lines = append(lines, l.soft.Render(clip(fmt.Sprintf(contracts.SayFilesTree, shortID(t.Tree), shortID(t.Worktree.Base)), w)), "")
	if len(t.Worktree.Checks) == 0 {
		lines = append(lines, painted(l.soft, wrapped(contracts.SayNoChecks, w, 3))...)
	}
	for i, c := range t.Worktree.Checks {
		lines = append(lines, a.checkLines(t, i, c, w)...)
	}
	for _, r := range t.Checks {
		if r.Hosted() {
			lines = append(lines, a.hostedLines(t, r, w)...)
		}
	}
	lines = append(lines, painted(l.need, a.collisionLines(t, w))...)
	return append(lines, a.landingLines(t, w)...)
}

// checkLines returns the lines that show a check and its result: what it ran and on which files,
// how it ended, how long it took, and the key that shows its output.
func (a *app) checkLines(t *contracts.Task, n int, c contracts.Check, w int) []string {
	l := &a.look
	sign, style, words, about, key := "○", l.soft, contracts.SayCheckNotRun, "", ""
	var why []string
	if r := resultOf(t, c.Name); r != nil && r.End == contracts.EndNotRun {
		if r.Tree == t.Tree {
			why = painted(l.need, indent(wrapped(r.Reason, w-4, 3)))
		}
	} else if r != nil {
		sign, style = l.outcome(*r, t.Tree)
		words = r.Outcome(t.Tree)
		about = contracts.FormatDuration(r.DurationMS) + " · tree " + shortID(r.Tree)
		if r.LogSHA256 != "" && n < len(outputKeys) {
			key = "  " + l.key.Render(outputKeys[n:n+1]) + l.soft.Render(" "+contracts.SayOutput)
		}
	}
	if c.Optional {
		about = joinNonEmpty(" · ", contracts.SayCheckOptional, about)
	}
	head := style.Render(sign+" "+words) + "  " + l.strong.Render(model.Line(c.Name)) + l.soft.Render("  "+about) + key
	lines := []string{clip(head, w)}
	if c.Line() != c.Name {
		lines = append(lines, painted(l.info, indent(wrapped("$ "+c.Command, w-4, 3)))...)
	}
	return append(lines, why...)
}

// hostedLines returns the lines that show a check that the git host ran on the task's pull request.
func (a *app) hostedLines(t *contracts.Task, r contracts.CheckResult, w int) []string {
	l := &a.look
	sign, style := l.outcome(r, t.Tree)
	head := style.Render(sign+" "+r.Outcome(t.Tree)) + "  " + l.strong.Render(model.Line(r.Name)) + l.soft.Render("  "+contracts.FormatDuration(r.DurationMS)+" · tree "+shortID(r.Tree))
	return append([]string{clip(head, w)}, painted(l.info, indent(wrapped(r.Command, w-4, 3)))...)
}

// collisionLines names the other unfinished tasks that have changed the same files.
func (a *app) collisionLines(t *contracts.Task, w int) (lines []string) {
	for _, c := range t.Collisions {
		for _, id := range c.TaskIDs {
			if id == t.TaskID || len(c.Paths) == 0 {
				continue
			}
			title := id
			if other := a.office.Rows().Task(id); other != nil {
				title = other.Title
			}
			lines = append(lines, wrapped("! "+fmt.Sprintf(contracts.SaySameFiles, title, strings.Join(c.Paths, ", ")), w, 3)...)
		}
	}
	return lines
}

func (a *app) landingLines(t *contracts.Task, w int) []string {
	l := &a.look
	switch {
	case t.Landing == nil:
		return nil
	case t.Landing.Status == contracts.LandDone:
		return painted(l.good, wrapped(fmt.Sprintf(contracts.SayLanded, t.Landing.Target, shortID(t.Landing.Commit)), w, 2))
	case t.Landing.Status == contracts.LandRequested:
		return painted(l.soft, wrapped(dryOr(t.Landing, contracts.SayDryRunning, contracts.SayLanding), w, 1))
	case t.Landing.Status == contracts.LandOpen && t.Landing.Pull != nil:
		lines := painted(l.info, wrapped(fmt.Sprintf(contracts.SayPullOpen, t.Landing.Pull.URL), w, 2))
		return append(lines, painted(l.bad, wrapped(t.Landing.Reason, w, 2))...)
	case t.Landing.Status == contracts.LandChecked:
		return painted(l.good, wrapped(dryRunWords(t), w, 3))
	case t.Landing.Status == contracts.LandFailed:
		words := dryOr(t.Landing, contracts.SayDryRunFailed, contracts.SayNotLanded)
		return painted(l.bad, wrapped(fmt.Sprintf(words, joinNonEmpty(" ", t.Landing.Reason, strings.Join(t.Landing.Conflicts, " "))), w, 4))
	}
	return nil
}

// dryRunWords describes the outcome of a successful dry run.
func dryRunWords(t *contracts.Task) string {
	switch p := t.Landing.Pull; {
	case p == nil:
		return fmt.Sprintf(contracts.SayDryRunPassed, targetOf(t))
	case p.URL != "":
		return fmt.Sprintf(contracts.SayDryRunOldPull, p.Remote, p.URL)
	default:
		return fmt.Sprintf(contracts.SayDryRunNewPull, p.Remote, targetOf(t))
	}
}

// dryOr returns dry if the landing is a dry run, otherwise words.
func dryOr(landing *contracts.Landing, dry, words string) string {
	if landing.DryRun {
		return dry
	}
	return words
}

// targetOf returns the name of the branch that a task's work lands in.
func targetOf(t *contracts.Task) string {
	return model.Line(cmp.Or(t.Worktree.Target, contracts.SayTargetCheckout))
}

// landable reports whether the work of a task is approved but has not landed yet.
func landable(t *contracts.Task) bool {
	return t != nil && t.Worktree != nil && t.Tree != "" && t.Status == contracts.TaskDone &&
		(t.Landing == nil || t.Landing.Status == contracts.LandFailed || t.Landing.Status == contracts.LandChecked || pullStale(t))
}

// pullStale reports whether the files of a task's open pull request differ from the task's.
func pullStale(t *contracts.Task) bool {
	return t.Landing != nil && t.Landing.Status == contracts.LandOpen && t.Landing.Tree != t.Tree
}

// landWays lists the ways to land in the order of the menu.
var landWays = []struct {
	how   contracts.LandHow
	label string
}{{contracts.LandMerge, contracts.SayLandMerge}, {contracts.LandSquash, contracts.SayLandSquash}, {contracts.LandRebase, contracts.SayLandRebase}, {contracts.LandPull, contracts.SayLandPull}}

// openLanding opens the menu of ways to land a task's work, or to try that in a dry run. If the
// work is not proven, each entry that lands it says so. An open pull request can only be updated.
func (a *app) openLanding(t *contracts.Task) {
	unproven := t.Verdict != contracts.VerdictProven
	about := contracts.VerdictNotes[t.Verdict]
	if unproven {
		about += " " + contracts.SayLandUnproven + "?"
	}
	var items []choice
	hint := ""
	if unproven {
		hint = contracts.VerdictWords[t.Verdict]
	}
	land := func(label string, how contracts.LandHow) choice {
		return choice{label: label, hint: hint, disabledReason: a.disabledReason(), run: func() tea.Cmd {
			return a.act(contracts.LandTask{TaskID: t.TaskID, How: how, AcceptUnproven: unproven}, contracts.SayLandAsked, nil)
		}}
	}
	try := func(label, note string, how contracts.LandHow) choice {
		return choice{label: label, hint: note, disabledReason: a.disabledReason(), run: func() tea.Cmd {
			return a.act(contracts.LandTask{TaskID: t.TaskID, How: how, DryRun: true}, contracts.SayDryRunAsked, nil)
		}}
	}
	if pullStale(t) {
		items = []choice{land(contracts.SayPullUpdate, contracts.LandPull)}
	} else {
		for _, way := range landWays {
			items = append(items, land(way.label, way.how))
		}
		items = append(items, try(contracts.SayDryRun, contracts.SayDryRunNote, contracts.LandMerge), try(contracts.SayDryRunPull, contracts.SayDryRunPullNote, contracts.LandPull))
	}
	a.openMenu(fmt.Sprintf(contracts.SayLandIn, targetOf(t)), about, items)
}

// shortID returns the beginning of a git object id.
func shortID(id string) string { return id[:min(8, len(id))] }
