// Package copilot supports Copilot CLI in people's own terminals: it watches their sessions, installs
// hooks, and finds the program on this machine. The crew drives Copilot CLI through agents/acp.
package copilot

import (
	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/copilot/guests"
	"github.com/bullpen-office/bullpen/agents/copilot/translate"
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/agents/watch"
	"github.com/bullpen-office/bullpen/contracts"
)

// Adapter shows Copilot CLI's sessions as guests.
var Adapter = agents.Adapter{
	Source: contracts.Source{Source: translate.Source, Label: translate.Label, Color: "#6e40c9", Provider: "github", KeepsAsking: true},
	Support: &agents.Support{
		Page: "agents.md#copilot-cli-in-your-terminals", Watch: "files, hooks", Drive: "ACP", Approve: "yes", Cost: "estimated", Tested: "1.0.102",
	},
	Hooks:    hooks,
	Find:     hooks.Finder("npm install -g @github/copilot", 16, "copilot"),
	Settings: dir.Settings(),
	Watch: func(w agents.WatchConfig) (agents.Watcher, error) {
		return watch.Adapt(func() guest.Vendor { return guests.Vendor(w.Options.Get(agents.OptionDir)) })(w)
	},
	IsAgentProcess: func(pid int, started int64) bool { return watch.IsProcess(guests.Vendor(""), pid, started) },
}

// dir is Copilot CLI's directory.
var dir = agents.Dir{Label: translate.Label, Flag: "copilot-dir", Variable: "COPILOT_HOME", Name: ".copilot"}
