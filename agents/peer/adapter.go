package peer

import (
	"context"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/staff"
)

// Adapter makes programs that connect to the bridge available as runners of the crew and as guests.
var Adapter = agents.Adapter{
	Source: contracts.Source{
		Source: contracts.SourceBridge, Label: "Bridge", Color: "#3f6aa8", Provider: "bridge",
		Controls: []contracts.CommandName{contracts.CmdStopAgent, contracts.CmdNewSession, contracts.CmdKillAgent, contracts.CmdChat},
	},
	Support: &agents.Support{
		Agents: "Your own programs (bridge)", Page: "bridge.md#an-agent-that-connects", Watch: "WebSocket", Drive: "yes", Approve: "yes", Tested: "a test program",
	},
	Runner: &staff.Spec{
		Kind:   "peer",
		Fields: []string{"command", "args", "workspace", "env", "lenient"},
		Dials:  true,
		Starts: func(r staff.Runner) bool { return r.Command != "" },
		Check: func(r staff.Runner, wrong func(field, format string, args ...any)) {
			if r.Command == "" && len(r.Args) > 0 {
				wrong("command", "required if args is set")
			}
			if r.Command == "" && len(r.Env) > 0 {
				wrong("env", "requires a command")
			}
		},
	},
	Drive: func(d agents.DriveConfig) agents.NewDriver {
		return func(_ string, r staff.Runner) (drive.Driver, error) {
			if r.Command == "" {
				return d.Peers.Peer(), nil
			}
			return New(Config{Command: r.Command, Args: r.Args, Peer: d.Peers.Peer(), Await: d.Peers.Await, Exited: d.Peers.Exited, Now: d.Now, Log: d.Log}), nil
		}
	},
	Check: func(_ context.Context, c agents.CheckConfig) []agents.Finding {
		if c.Runner.Command == "" {
			return []agents.Finding{agents.OK("runner", "%s: waiting for a program to connect to /bridge", c.Name)}
		}
		return []agents.Finding{c.Program(c.Runner.Command, "install it")}
	},
}
