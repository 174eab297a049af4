package peer

import (
	"context"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/staff"
)

// Adapter is an agent that dials in to the bridge.
var Adapter = agents.Adapter{
	Source: contracts.Source{
		Source: contracts.SourceBridge, Label: "Bridge", Color: "#3f6aa8", Provider: "bridge",
		Controls: []contracts.CommandName{contracts.CmdStopAgent, contracts.CmdNewSession, contracts.CmdKillAgent, contracts.CmdChat},
	},
	Kind: staff.Peer,
	Check: func(_ context.Context, c agents.Checking) []agents.Finding {
		if c.Runner.Command == "" {
			return []agents.Finding{agents.Fine("runner", "%s: waits for a program that dials /bridge", c.Name)}
		}
		return []agents.Finding{c.Program(c.Runner.Command, "install it")}
	},
}
