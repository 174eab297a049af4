package claude

import (
	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
)

// Adapter is Claude Code.
var Adapter = agents.Adapter{
	Source: contracts.Source{Source: contracts.SourceClaude, Label: "Claude Code", Color: "#c75f3a"},
}
