package acp

import (
	"context"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/staff"
)

// source is the name of the adapter and the kind of its runners.
const source = "acp"

// Adapter makes agent programs that speak the Agent Client Protocol available to the crew as
// runners.
var Adapter = agents.Adapter{
	Source: contracts.Source{Source: source, Label: "ACP agent", Color: "#7a5ea8", Provider: source},
	Support: &agents.Support{
		Agents: "OpenCode, Goose and others (ACP)", Page: "agents.md", Drive: "yes", Approve: "yes", Cost: "if reported", Tested: "OpenCode 1.18.33",
	},
	Runner: &staff.Spec{
		Kind:        source,
		Fields:      []string{"model", "mode", "command", "args", "workspace", "env", "lenient"},
		Starts:      func(staff.Runner) bool { return true },
		VariablesOf: func(r staff.Runner) []string { return programOf(r).variables },
		Presets:     presets(),
		Check: func(r staff.Runner, wrong func(field, format string, args ...any)) {
			if r.Command == "" {
				wrong("command", "required: the program and its arguments, such as [opencode, acp]")
			}
		},
	},
	Drive: func(d agents.DriveConfig) agents.NewDriver {
		return func(_ string, r staff.Runner) (drive.Driver, error) {
			return New(Config{Command: r.Command, Args: r.Args, Model: r.Model, Mode: r.Mode, Version: d.Version, Began: d.Began, Now: d.Now, Log: d.Log}), nil
		}
	},
	Check: func(_ context.Context, c agents.CheckConfig) []agents.Finding {
		if c.Runner.Command == "" {
			return []agents.Finding{agents.Problem("runner", "set runners."+c.Name+".command, for example to [opencode, acp]", "%s: no command", c.Name)}
		}
		return []agents.Finding{c.Program(c.Runner.Command, programOf(c.Runner).install)}
	},
	Find: find,
}
