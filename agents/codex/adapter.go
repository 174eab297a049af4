package codex

import (
	"context"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/codex/guests"
	"github.com/bullpen-office/bullpen/agents/codex/translate"
	"github.com/bullpen-office/bullpen/agents/watch"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/staff"
)

// Adapter makes Codex available as a runner for the crew, and Codex sessions available as guests.
var Adapter = agents.Adapter{
	Source: contracts.Source{Source: translate.Source, Label: translate.Label, Color: "#4a6fa5", Provider: "openai", KeepsAsking: true},
	Support: &agents.Support{
		Page: "agents.md#codex-in-your-terminals", Watch: "files, hooks", Drive: "yes", Approve: "yes", Cost: "estimated if you set prices", Tested: "0.166.0",
	},
	Runner: &staff.Spec{
		Kind:      translate.Source,
		Fields:    []string{"model", "mode", "command", "args", "workspace", "env", "lenient"},
		Starts:    func(staff.Runner) bool { return true },
		Variables: []string{"CODEX_*", "OPENAI_*"},
		Check: func(r staff.Runner, wrong func(field, format string, args ...any)) {
			if r.Mode != "" && !slices.Contains(Modes, r.Mode) {
				wrong("mode", "unknown mode %q: use %s", r.Mode, strings.Join(Modes, ", "))
			}
		},
	},
	Drive: func(d agents.DriveConfig) agents.NewDriver {
		return func(_ string, r staff.Runner) (drive.Driver, error) {
			return New(Config{Command: r.Command, Args: r.Args, Model: r.Model, Mode: r.Mode, Version: d.Version, Began: d.Began, Now: d.Now, Log: d.Log}), nil
		}
	},
	Check: func(_ context.Context, c agents.CheckConfig) []agents.Finding {
		return []agents.Finding{c.Program(program, "install Codex ("+installCommand+")")}
	},
	Hooks:          hooks,
	Find:           find,
	Settings:       dir.Settings(),
	Watch:          watch.Adapt(vendor),
	IsAgentProcess: func(pid int, started int64) bool { return watch.IsProcess(guests.Vendor(), pid, started) },
}

// dir is the directory where Codex stores its configuration and sessions.
var dir = agents.Dir{Label: translate.Label, Flag: "codex-dir", Variable: "CODEX_HOME", Name: ".codex"}
