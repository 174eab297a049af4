package copilot

import (
	"time"

	"github.com/bullpen-office/bullpen/agents/copilot/translate"
	"github.com/bullpen-office/bullpen/agents/hook/install"
	"github.com/bullpen-office/bullpen/contracts"
)

// HookedProgram describes the hooks that Copilot CLI runs. The events have Claude Code's names,
// because Copilot CLI includes the event's name in the body of a hook only for these names.
var HookedProgram = install.Program{
	Name:  translate.Source,
	Fresh: "{\n  \"version\": 1\n}\n",
	Events: []install.Event{
		{Name: "SessionStart", Timeout: install.HookTimeout},
		{Name: "UserPromptSubmit", Timeout: install.HookTimeout},
		{Name: "PreToolUse", Timeout: install.HookTimeout},
		{Name: "PermissionRequest", Timeout: int((contracts.HookAskWait + 10*time.Second) / time.Second)},
		{Name: "PostToolUse", Timeout: install.HookTimeout},
		{Name: "PostToolUseFailure", Timeout: install.HookTimeout},
		{Name: "Notification", Timeout: install.HookTimeout},
		{Name: "ErrorOccurred", Timeout: install.HookTimeout},
		{Name: "Stop", Timeout: install.HookTimeout},
		{Name: "SessionEnd", Timeout: install.HookTimeout},
	},
}

// hooks installs the hooks in a separate file.
var hooks = install.Commands{
	Place:   install.Place{Program: &HookedProgram, Dir: dir, File: "hooks/bullpen.json"},
	Answers: true,
	Text: `Copilot CLI (copilot): install writes the file hooks/bullpen.json in Copilot CLI's
directory (~/.copilot or $COPILOT_HOME), with one hook per event. Other hook files are
not changed, and what you add to this file stays there. Sessions that are already
running use the hooks after a restart.`,
}
