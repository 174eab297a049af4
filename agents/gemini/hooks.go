package gemini

import (
	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/hook/install"
)

// dir is the directory in which Gemini CLI keeps its settings and sessions.
var dir = agents.Dir{Label: label, Variable: "GEMINI_CLI_HOME", Name: ".gemini", Within: true}

// HookedProgram describes the hooks that are installed. Hooks around requests to the model are not
// installed, because Gemini CLI would start a process for each chunk of an answer, with the whole
// conversation as input.
var HookedProgram = install.Program{
	Name: source, Milliseconds: true,
	Events: []install.Event{
		{Name: sessionStart, Timeout: install.HookTimeout},
		{Name: beforeAgent, Timeout: install.HookTimeout},
		{Name: beforeTool, Timeout: install.HookTimeout},
		{Name: afterTool, Timeout: install.HookTimeout},
		{Name: notification, Timeout: install.HookTimeout},
		{Name: preCompress, Timeout: install.HookTimeout},
		{Name: afterAgent, Timeout: install.HookTimeout},
		{Name: sessionEnd, Timeout: install.HookTimeout},
	},
}

var hooks = install.Commands{
	Place: install.Place{Program: &HookedProgram, Dir: dir, File: "settings.json", ProjectFile: ".gemini/settings.json"},
	Text: `Gemini CLI (gemini): install adds one hook per event to Gemini CLI's settings
(~/.gemini/settings.json; with --project, .gemini/settings.json in that project) and
leaves the rest of the file alone. The original is saved as
settings.json.bullpen-backup. Gemini CLI accepts no answers from hooks, so permission
requests are shown but answered in its terminal.`,
}
