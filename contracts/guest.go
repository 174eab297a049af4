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

// controls are the commands that agents obey, by source; "" is the crew. Agents of
// any other source are only watched, unless their adapter sets AgentProfile.Controls.
var controls = map[string][]CommandName{
	"":             {CmdStopAgent, CmdKillAgent, CmdNewSession, CmdSwitchAgent, CmdHandover, CmdChat},
	SourceOpenClaw: {CmdStopAgent, CmdNewSession},
	SourceBridge:   {CmdStopAgent, CmdNewSession, CmdKillAgent, CmdChat},
}

// Obeyed returns the commands that the agent obeys. The slice is shared: do not
// change it.
func (p *AgentProfile) Obeyed() []CommandName {
	if p.Controls != nil {
		return p.Controls
	}
	return controls[p.Source]
}

// Obeys reports whether the agent can be given a command.
func (p *AgentProfile) Obeys(control CommandName) bool { return slices.Contains(p.Obeyed(), control) }

// Hears reports whether messages can be sent to the agent.
func (p *AgentProfile) Hears() bool { return p.Obeys(CmdChat) }

// Equal reports whether two profiles say the same. Controls that are set to the
// default of the source equal controls that are not set.
func (p AgentProfile) Equal(q AgentProfile) bool {
	return p.AgentID == q.AgentID && p.Name == q.Name && p.Role == q.Role && p.Runner == q.Runner && p.Home == q.Home &&
		p.Source == q.Source && p.ParentID == q.ParentID && p.Session == q.Session && p.Place == q.Place && p.Model == q.Model &&
		slices.Equal(p.Obeyed(), q.Obeyed())
}
