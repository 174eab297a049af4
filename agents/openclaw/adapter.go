package openclaw

import (
	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/staff"
)

// Adapter is OpenClaw.
var Adapter = agents.Adapter{
	Source: contracts.Source{Source: contracts.SourceOpenClaw, Label: "OpenClaw", Color: "#2f8f88", Controls: []contracts.CommandName{contracts.CmdStopAgent, contracts.CmdNewSession}},
	Kind:   staff.OpenClaw,
	Check:  check,
	Find:   find,
}
