package cursor

import (
	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/hook/install"
)

// dir is Cursor's directory.
var dir = agents.Dir{Label: label, Name: ".cursor"}

// HookedProgram describes the hooks that are installed. They set no timeouts, because the
// unit differs between versions of Cursor.
var HookedProgram = install.Program{
	Name: source, Flat: true, Fresh: "{\n  \"version\": 1\n}\n",
	Events: []install.Event{
		{Name: sessionStart}, {Name: beforeSubmitPrompt},
		{Name: preToolUse}, {Name: postToolUse}, {Name: postToolUseFailure},
		{Name: preCompact}, {Name: afterAgentResponse}, {Name: stop}, {Name: sessionEnd},
	},
}

var hooks = install.Commands{
	Place: install.Place{Program: &HookedProgram, Dir: dir, File: "hooks.json", ProjectFile: ".cursor/hooks.json"},
	Text: `Cursor (cursor): install adds one hook per event to Cursor's hooks.json (~/.cursor;
with --project, .cursor in that project) and leaves the rest of the file alone. The
original is saved as hooks.json.bullpen-backup. This follows Cursor's documentation and
has not been tested with the real program.`,
	Note: "Cursor loads hooks when it starts: restart it",
}
