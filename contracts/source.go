package contracts

import "slices"

// Sources of agents that connect to the office itself. Adapters name the other sources.
const (
	SourceCrew   = ""       // members of the crew, who are not guests
	SourceBridge = "bridge" // agents that connected to the bridge
	SourceUI     = "ui"     // programs that send workflow events under a name
	SourceMCP    = "mcp"    // agents that use the office's MCP tools
)

// Source describes where agents come from: a vendor, or an endpoint of the office. Adapters declare
// their source. The director reads the controls, and clients show the label and the colour, so
// neither needs to know vendors by name.
type Source struct {
	Source   string        `json:"source"`            // matches AgentProfile.Source for guests and AgentProfile.Runner for the crew
	Label    string        `json:"label"`             // "Claude Code"
	Color    string        `json:"color"`             // colour of its agents' lanyards, as #rrggbb
	Scripted bool          `json:"scripted,omitzero"` // its agents follow a script and use no model
	Controls []CommandName `json:"controls,omitzero"` // controls of the source's guests, unless a guest's profile sets other controls

	// Used by the server only.
	Provider    string `json:"-"` // the model's provider by its OpenTelemetry name; empty means unknown
	KeepsAsking bool   `json:"-"` // the agents' terminals keep asking after the office withdraws a permission request
}

// Sources lists the sources known to an office. Agents from any other source are only watched,
// unless their profile has Controls.
type Sources []Source

// crewControls are the commands that crew members obey, on any runner.
var crewControls = []CommandName{CmdStopAgent, CmdKillAgent, CmdNewSession, CmdSwitchAgent, CmdHandover, CmdChat}

// Of returns the source with the given name; for an unknown source, only the name is set.
func (l Sources) Of(name string) Source {
	for i := range l {
		if l[i].Source == name {
			return l[i]
		}
	}
	return Source{Source: name}
}

// Obeyed returns the commands that an agent obeys. Callers share the slice and must not change it.
func (l Sources) Obeyed(p *AgentProfile) []CommandName {
	switch {
	case p.Controls != nil:
		return p.Controls
	case !p.Guest():
		return crewControls
	}
	return l.Of(p.Source).Controls
}

// Obeys reports whether an agent obeys a command. Agents that obey CmdChat can receive messages.
func (l Sources) Obeys(p *AgentProfile, control CommandName) bool {
	return slices.Contains(l.Obeyed(p), control)
}

// Same reports whether two profiles are equivalent: controls that are equal to the source's default
// are treated as missing.
func (l Sources) Same(p, q AgentProfile) bool {
	if !slices.Equal(l.Obeyed(&p), l.Obeyed(&q)) {
		return false
	}
	p.Controls, q.Controls = nil, nil
	return p.Equal(q)
}
