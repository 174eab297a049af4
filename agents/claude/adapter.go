package claude

import (
	"context"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/claude/guests"
	"github.com/bullpen-office/bullpen/agents/claude/translate"
	"github.com/bullpen-office/bullpen/agents/hook/install"
	"github.com/bullpen-office/bullpen/agents/watch"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/staff"
)

// Adapter makes Claude Code available as a runner for the crew, and its sessions available as
// guests.
var Adapter = agents.Adapter{
	Source: contracts.Source{Source: translate.Source, Label: programName, Color: "#c75f3a", Provider: "anthropic", KeepsAsking: true},
	Support: &agents.Support{
		Page: "claude-code.md", Watch: "files, hooks", Drive: "yes", Approve: "yes, and questions", Cost: "reported or estimated", Tested: "2.1.197",
	},
	Runner: &staff.Spec{
		Kind:   translate.Source,
		Fields: []string{"model", "command", "args", "workspace", "env", "lenient"},
		Starts: func(staff.Runner) bool { return true },
		Priced: func(staff.Runner) bool { return true }, // Claude Code reports its own cost
		// Claude Code can also use models through Bedrock, Vertex and Foundry.
		Variables: []string{"ANTHROPIC_*", "CLAUDE_*", "MCP_*", "AWS_*", "GOOGLE_*", "AZURE_*"},
		// If these variables were set, Claude Code would assume that another Claude Code started it.
		ExcludedVariables: []string{"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_SSE_PORT", "CLAUDE_PROJECT_DIR"},
		Prices:            staff.PriceList{AsOf: pricesAsOf, Of: listPrice},
	},
	Drive: func(d agents.DriveConfig) agents.NewDriver {
		return func(_ string, r staff.Runner) (drive.Driver, error) {
			return New(Config{Command: r.Command, Args: r.Args, Model: r.Model, Began: d.Began, Now: d.Now, Log: d.Log}), nil
		}
	},
	Check: func(_ context.Context, c agents.CheckConfig) []agents.Finding {
		return []agents.Finding{c.Program("claude", "install Claude Code ("+installCommand+")")}
	},
	Hooks:          hooks{install.Place{Program: &HookedProgram, Dir: dir, File: settingsFile, ProjectFile: ".claude/settings.local.json"}},
	Find:           find,
	Settings:       dir.Settings(),
	Watch:          watch.Adapt(vendor),
	IsAgentProcess: func(pid int, started int64) bool { return watch.IsProcess(guests.Vendor, pid, started) },
}

var dir = agents.Dir{Label: programName, Flag: "claude-dir", Variable: "CLAUDE_CONFIG_DIR", Name: ".claude"}
