// Package opencode supports OpenCode sessions in people's own terminals: a plugin reports the
// sessions, and people can answer the sessions' permission requests in the office. Crew agents run
// OpenCode through package agents/acp.
package opencode

import (
	"path/filepath"
	"strings"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/agents/opencode/translate"
	"github.com/bullpen-office/bullpen/agents/watch"
	"github.com/bullpen-office/bullpen/contracts"
)

// Adapter shows OpenCode's sessions as guests.
var Adapter = agents.Adapter{
	Source: contracts.Source{Source: translate.Source, Label: translate.Label, Color: "#c98a1b", Provider: translate.Source, KeepsAsking: true},
	Support: &agents.Support{
		Page: "agents.md#opencode-in-your-terminals", Watch: "plugin", Drive: "ACP", Approve: "yes", Cost: "reported or estimated", Tested: "1.18.33",
	},
	Hooks:          hooks{},
	Find:           find,
	Watch:          watch.Adapt(func() guest.Vendor { return Vendor }),
	IsAgentProcess: func(pid int, started int64) bool { return watch.IsProcess(Vendor, pid, started) },
}

// Vendor defines how the plugin's reports are parsed and how OpenCode's processes are recognized.
var Vendor = guest.Vendor{
	Source: translate.Source, Label: translate.Label, NewSession: translate.NewSession, IsProgram: isProgram,
	ParseHook: func(body []byte, _ bool) (guest.Hook, error) {
		h, err := translate.ParseHook(body)
		if err != nil {
			return nil, err
		}
		return h, nil
	},
}

// isProgram reports whether a program is OpenCode. The npm package starts it from a script, and may
// install it as a hidden file.
func isProgram(executable string, args []string) bool {
	name := filepath.Base(executable)
	if script, ok := guest.Script(name, args); ok {
		name = filepath.Base(script)
	}
	return strings.HasPrefix(strings.TrimPrefix(strings.ToLower(name), "."), translate.Source)
}
