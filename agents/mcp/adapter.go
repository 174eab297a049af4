// Package mcp is the adapter for agents that use the office's MCP tools. These agents are guests, or
// crew members that take tasks, report progress and deliver results through the tools. The office
// starts no process for them.
package mcp

import (
	"context"
	"fmt"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/staff"
)

// Adapter integrates agents that use the MCP tools, as crew members and as guests.
var Adapter = agents.Adapter{
	Source: contracts.Source{
		Source: contracts.SourceMCP, Label: "MCP", Color: "#8a6d3b", Provider: "mcp",
		Controls: []contracts.CommandName{contracts.CmdChat},
	},
	Support: &agents.Support{
		Agents: "Any agent with MCP tools", Page: "mcp.md", Drive: "takes tasks itself", Approve: "questions", Tested: "Claude Code 2.1.197",
	},
	Runner: &staff.Spec{
		Kind: "mcp",
		Note: "agents that take tasks through MCP",
	},
	Drive: func(agents.DriveConfig) agents.NewDriver {
		return func(string, staff.Runner) (drive.Driver, error) { return driver{}, nil }
	},
	Check: func(_ context.Context, c agents.CheckConfig) []agents.Finding {
		return []agents.Finding{agents.OK("runner", "%s: its agents take tasks through `bullpen mcp`", c.Name)}
	},
}

// driver rejects turns, because MCP agents pull their own tasks.
type driver struct{}

func (driver) Capabilities() drive.Capabilities { return drive.Capabilities{Pulls: true} }

func (driver) Open(_ context.Context, spec drive.Spec) (drive.Session, error) {
	return nil, fmt.Errorf("%w: %s receives tasks and messages through MCP and cannot be prompted; send it a message in the office", drive.ErrUnreachable, spec.AgentID)
}
