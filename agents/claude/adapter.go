package claude

import (
	"context"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/staff"
)

// Adapter is Claude Code.
var Adapter = agents.Adapter{
	Source: contracts.Source{Source: contracts.SourceClaude, Label: "Claude Code", Color: "#c75f3a"},
	Kind:   staff.Claude,
	Check: func(_ context.Context, c agents.Checking) []agents.Finding {
		return []agents.Finding{c.Program("claude", "install Claude Code")}
	},
	Hooks: hooks{},
	Find:  find,
}
