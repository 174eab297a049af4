package qwen

import (
	"time"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/hook/install"
	"github.com/bullpen-office/bullpen/contracts"
)

// dir is Qwen Code's configuration directory.
var dir = agents.Dir{Label: label, Variable: "QWEN_HOME", Name: ".qwen"}

// HookedProgram describes the hooks that Qwen Code runs. Qwen Code waits at most a minute for the
// answer to a permission request, regardless of the hook's timeout.
var HookedProgram = install.Program{
	Name: source, Milliseconds: true,
	Events: []install.Event{
		{Name: sessionStart, Timeout: install.HookTimeout},
		{Name: promptSubmit, Timeout: install.HookTimeout},
		{Name: preToolUse, Timeout: install.HookTimeout},
		{Name: permissionRequest, Timeout: int((contracts.HookAskWait + 10*time.Second) / time.Second)},
		{Name: postToolUse, Timeout: install.HookTimeout},
		{Name: postToolUseFailure, Timeout: install.HookTimeout},
		{Name: notification, Timeout: install.HookTimeout},
		{Name: subagentStart, Timeout: install.HookTimeout},
		{Name: subagentStop, Timeout: install.HookTimeout},
		{Name: preCompact, Timeout: install.HookTimeout},
		{Name: postCompact, Timeout: install.HookTimeout},
		{Name: stop, Timeout: install.HookTimeout},
		{Name: stopFailure, Timeout: install.HookTimeout},
		{Name: sessionEnd, Timeout: install.HookTimeout},
	},
}

var hooks = install.Commands{
	Place: install.Place{Program: &HookedProgram, Dir: dir, File: "settings.json", ProjectFile: ".qwen/settings.json"},
	Text: `Qwen Code (qwen): install adds one hook per event to Qwen Code's settings
(~/.qwen/settings.json or $QWEN_HOME/settings.json; with --project, .qwen/settings.json
in that project) and leaves the rest of the file alone. The original is saved as
settings.json.bullpen-backup.`,
	Answers: true,
}
