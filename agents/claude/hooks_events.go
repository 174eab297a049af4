package claude

import (
	"github.com/bullpen-office/bullpen/agents/claude/translate"
	"github.com/bullpen-office/bullpen/agents/hook/install"
)

// HookedProgram describes the hooks that each version of Claude Code runs, according to its
// changelog. PostToolUseFailure is not in the changelog, so its Since is the first version that
// ignores unknown events. Versions before HTTPSince ignore a settings file that contains an HTTP
// hook.
var HookedProgram = install.Program{
	Name: translate.Source, Oldest: install.Version{Major: 1, Patch: 85}, HTTPSince: install.Version{Major: 2, Minor: 1, Patch: 63},
	Events: []install.Event{
		{Name: "SessionStart", Since: version(1, 0, 62), CommandOnly: true, Timeout: install.HookTimeout},
		{Name: "UserPromptSubmit", Since: version(1, 0, 54), Timeout: install.HookTimeout},
		{Name: "PreToolUse", Since: version(1, 0, 38), Timeout: install.HookTimeout},
		{Name: "PermissionRequest", Since: version(2, 0, 45), Timeout: install.PermissionTimeout},
		{Name: "PermissionDenied", Since: version(2, 1, 89), Timeout: install.HookTimeout},
		{Name: "PostToolUse", Since: version(1, 0, 38), Timeout: install.HookTimeout},
		{Name: "PostToolUseFailure", Since: version(2, 1, 101), Timeout: install.HookTimeout},
		{Name: "Notification", Since: version(1, 0, 38), Timeout: install.HookTimeout},
		{Name: "SubagentStart", Since: version(2, 0, 43), Timeout: install.HookTimeout},
		{Name: "SubagentStop", Since: version(1, 0, 41), Timeout: install.HookTimeout},
		{Name: "Stop", Since: version(1, 0, 38), Timeout: install.HookTimeout},
		{Name: "StopFailure", Since: version(2, 1, 78), Timeout: install.HookTimeout},
		{Name: "PreCompact", Since: version(1, 0, 48), Timeout: install.HookTimeout},
		{Name: "PostCompact", Since: version(2, 1, 76), Timeout: install.HookTimeout},
		{Name: "SessionEnd", Since: version(1, 0, 85), Timeout: install.HookTimeout},
	},
}

func version(major, minor, patch int) install.Version {
	return install.Version{Major: major, Minor: minor, Patch: patch}
}
