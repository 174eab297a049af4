// Package impact classifies finished tool calls by their effect on an agent's work: a call changed a
// file, ran a command that looks like a check, or ran a command that may have changed files.
//
// It uses names, not contents: a list of the tools that edit, and tables of commands and of prose
// files. A command that is in no table may have changed files. An exit code that may belong to
// another command on the line counts as unknown. A mistake therefore hides a check rather than
// inventing one. Tools that are neither editors nor shells, such as those of MCP servers, have no
// impact.
//
// The package is pure.
package impact

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Call is a finished tool call. The tool and the members of Args and Result have the names that
// package hud uses.
type Call struct {
	Tool   string
	Args   jsontext.Value
	Result jsontext.Value // nil if the end of the call was not seen
}

// editors are the tools that change files.
var editors = map[string]bool{
	"write": true, "edit": true, "append": true, "apply_patch": true, "patch": true, "replace": true, "create": true, "insert": true, "delete": true, "move": true,
}

// Of returns the impact of a call, without times; ok is false if the call has no impact. roots
// determine how paths are shown.
func Of(c Call, roots hud.Roots) (e contracts.Impact, ok bool) {
	var args arguments
	_, _ = hud.Decode(c.Args, &args) // arguments with an unknown shape name no file or command
	out := outcomeOf(c.Result)
	switch {
	case editors[c.Tool]:
		e = contracts.Impact{Kind: contracts.ImpactEdit, What: cmp.Or(out.File.Shown, args.files(roots)), Prose: args.prose()}
		ok = !out.failed()
	case c.Tool == "exec" && args.Background:
		e, ok = lineImpact(args.Command, nil)
	case c.Tool == "exec":
		e, ok = lineImpact(args.Command, out.exit())
	}
	if !ok {
		return contracts.Impact{}, false
	}
	e.What = hud.Line(e.What, contracts.LimitPreview)
	return e, true
}

// arguments are the members of a call's arguments that matter here.
type arguments struct {
	Path       string `json:"path"`
	Command    string `json:"command"`
	Background bool   `json:"run_in_background"` // the call ends as soon as the command has started
	Changes    []struct {
		Path string `json:"path"`
	} `json:"changes"`
}

// files names the files that an edit changed.
func (a *arguments) files(roots hud.Roots) string {
	switch n := len(a.Changes); {
	case n == 1:
		return roots.View(a.Changes[0].Path)
	case n > 1:
		return fmt.Sprintf("%s and %d more", roots.View(a.Changes[0].Path), n-1)
	}
	return roots.View(a.Path)
}

// prose reports whether an edit changed only prose. An edit to an unknown file may have changed
// code.
func (a *arguments) prose() bool {
	for _, c := range a.Changes {
		if !isProse(c.Path) {
			return false
		}
	}
	return len(a.Changes) > 0 || isProse(a.Path)
}

// isProse reports whether a file's name indicates text for people.
func isProse(file string) bool {
	name := strings.ToLower(path.Base(strings.ReplaceAll(file, `\`, "/")))
	return proseNames[name] || proseEndings[path.Ext(name)] && !strings.HasPrefix(name, "requirements") && name != "cmakelists.txt"
}

// outcome contains the members of a result that describe how a call ended.
type outcome struct {
	OK       *bool  `json:"ok"`
	ExitCode *int   `json:"exitCode"`
	Error    string `json:"error"`
	File     struct {
		Shown string `json:"viewerPath"`
	} `json:"file"`
}

func outcomeOf(result jsontext.Value) (o outcome) {
	if result == nil {
		return outcome{Error: hud.NoEnd}
	}
	_, _ = hud.Decode(result, &o) // a result with an unknown shape contains no outcome
	return o
}

// failed reports whether the call failed and therefore had no effect. A call whose end was not seen
// may still have taken effect.
func (o *outcome) failed() bool { return o.OK != nil && !*o.OK && o.Error != hud.NoEnd }

// exit returns the exit code of a command, or nil if it is unknown.
func (o *outcome) exit() *int {
	if o.ExitCode != nil && *o.ExitCode >= 0 && o.Error != hud.NoEnd {
		return o.ExitCode
	}
	return nil
}

// lineImpact returns the impact of a shell line. exit is the line's exit code, or nil if it is
// unknown.
func lineImpact(line string, exit *int) (e contracts.Impact, ok bool) {
	steps, supported := split(line)
	if !supported {
		return contracts.Impact{Kind: contracts.ImpactCommand, What: line}, true
	}
	check, change := -1, -1
	for i, s := range steps {
		switch s.effect() {
		case checks:
			check = i
		case changes:
			change = i
		}
	}
	switch {
	case check < 0 && change < 0:
		return contracts.Impact{}, false
	case check < 0:
		return contracts.Impact{Kind: contracts.ImpactCommand, What: line}, true
	}
	e = contracts.Impact{Kind: contracts.ImpactCheck, What: strings.Join(steps[check].words, " "), Outcome: contracts.OutcomeUnknown}
	if change < check && decides(steps, check, exit) {
		e.Outcome, e.ExitCode = judged(exit)
	}
	return e, true
}

// decides reports whether a line's exit code is also the exit code of the step at index at.
func decides(steps []step, at int, exit *int) bool {
	if exit == nil || slices.ContainsFunc(steps[:at], func(s step) bool { return s.next == "||" }) {
		return false // the step may not have run
	}
	ends := []string{"&&"}
	if slices.ContainsFunc(steps[:at], func(s step) bool {
		return s.words[0] == "set" && strings.Contains(strings.Join(s.words, " "), "pipefail")
	}) {
		ends = append(ends, "|")
	}
	for _, s := range steps[at:] {
		if s.next != "" && !slices.Contains(ends, s.next) {
			return false
		}
	}
	return *exit == 0 || at == len(steps)-1 // after a failure, a later step may be the one that failed
}

func judged(exit *int) (contracts.CheckOutcome, *int) {
	switch {
	case exit == nil:
		return contracts.OutcomeUnknown, nil
	case *exit == 0:
		return contracts.OutcomePassed, exit
	}
	return contracts.OutcomeFailed, exit
}
