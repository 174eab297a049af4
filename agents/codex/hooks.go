package codex

import (
	"time"

	"github.com/bullpen-office/bullpen/agents/codex/translate"
	"github.com/bullpen-office/bullpen/agents/hook/install"
	"github.com/bullpen-office/bullpen/contracts"
)

// shortTimeout is the longest timeout that Codex accepts for SessionEnd and Interrupt, in seconds.
const shortTimeout = 3

// HookedProgram describes the hooks that Codex runs.
var HookedProgram = install.Program{
	Name: translate.Source,
	Events: []install.Event{
		{Name: "SessionStart", Timeout: install.HookTimeout},
		{Name: "UserPromptSubmit", Timeout: install.HookTimeout},
		{Name: "PreToolUse", Timeout: install.HookTimeout},
		{Name: "PermissionRequest", Timeout: int((contracts.HookAskWait + 10*time.Second) / time.Second)},
		{Name: "PostToolUse", Timeout: install.HookTimeout},
		{Name: "PreCompact", Timeout: install.HookTimeout},
		{Name: "PostCompact", Timeout: install.HookTimeout},
		{Name: "Stop", Timeout: install.HookTimeout},
		{Name: "Interrupt", Timeout: shortTimeout},
		{Name: "SessionEnd", Timeout: shortTimeout},
	},
}

// hooks installs hooks in Codex's hooks.json.
var hooks = install.Commands{
	Place: install.Place{Program: &HookedProgram, Dir: dir, File: "hooks.json", ProjectFile: ".codex/hooks.json"},
	Text:  hooksHelp, Answers: true,
	Note: "Codex runs new hooks only after you have reviewed them: start codex and type /hooks",
}

const hooksHelp = `Codex (codex): install adds one hook per event to Codex's hooks.json (~/.codex or
$CODEX_HOME; with --project, .codex in that project) and leaves the rest of the file
alone. The original is saved as hooks.json.bullpen-backup. Codex runs new and changed
hooks only after you have reviewed them: start codex and type /hooks.`
