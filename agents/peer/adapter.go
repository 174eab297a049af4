package peer

import (
	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
)

// Adapter is an agent that dials in to the bridge.
var Adapter = agents.Adapter{
	Source: contracts.Source{Source: contracts.SourceBridge, Label: "Bridge", Color: "#3f6aa8", Controls: []contracts.CommandName{contracts.CmdStopAgent, contracts.CmdNewSession, contracts.CmdKillAgent, contracts.CmdChat}},
}
