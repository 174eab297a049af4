// Package cursor supports Cursor: it installs hooks, watches the conversations that people have with
// its agent, and finds Cursor on this machine. It follows Cursor's documentation and has not been
// tested with the real program.
package cursor

import (
	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/agents/guest/hooked"
	"github.com/bullpen-office/bullpen/agents/watch"
	"github.com/bullpen-office/bullpen/contracts"
)

const (
	source         = "cursor"
	label          = "Cursor"
	installCommand = "curl https://cursor.com/install -fsS | bash"
)

// Adapter shows conversations in Cursor as guests.
var Adapter = agents.Adapter{
	Source: contracts.Source{Source: source, Label: label, Color: "#5a5f66", Provider: "cursor"},
	Support: &agents.Support{
		Page: "agents.md#cursor", Watch: "hooks", Drive: "ACP", Approve: "when driven", Tested: "documented hooks, not the real program",
	},
	Hooks:          hooks,
	Find:           hooks.Finder(installCommand, 17, source, "cursor-agent"),
	Watch:          watch.Adapt(func() guest.Vendor { return Vendor }),
	IsAgentProcess: func(pid int, started int64) bool { return watch.IsProcess(Vendor, pid, started) },
}

// Vendor describes Cursor's hooks and processes.
var Vendor = guest.Vendor{
	Source: source, Label: label, ParseHook: parseHook, NewSession: hooked.New(source, label), IsProgram: guest.Program(source, "cursor-agent"),
}
