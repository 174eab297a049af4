package contracts

import "slices"

// Where guests come from, as far as it matters what kind of guest one is.
const (
	SourceClaude   = "claude"   // sessions of Claude Code in their own terminals
	SourceOpenClaw = "openclaw" // agents of a gateway
	SourceBridge   = "bridge"   // agents that dialled in
	SourceUI       = "ui"       // whoever sends workflow events under a name
)

// Guest reports whether the agent works elsewhere: the office gives it no tasks.
func (p *AgentProfile) Guest() bool { return p.Source != "" }

// Hears reports whether messages can be said to the agent.
func (p *AgentProfile) Hears() bool { return !p.Guest() || p.Source == SourceBridge }

// obeyed are the controls that reach the source of a guest.
var obeyed = map[string][]CommandName{
	SourceOpenClaw: {CmdStopAgent, CmdNewSession},
	SourceBridge:   {CmdStopAgent, CmdNewSession, CmdKillAgent},
}

// Obeys reports whether a guest can be given a control.
func (p *AgentProfile) Obeys(control CommandName) bool {
	return slices.Contains(obeyed[p.Source], control)
}
