package contracts

import "slices"

// Sources of agents that connect to the office itself. Adapters name the others.
const (
	SourceCrew   = ""       // members of the crew, who are not guests
	SourceBridge = "bridge" // agents that connected to the bridge
	SourceUI     = "ui"     // programs that send workflow events under a name
)

// Source describes where agents come from: a vendor, or an endpoint of the office. Adapters
// declare it. The director reads its controls, and clients show its label and colour, so none of
// them knows a vendor by name.
type Source struct {
	Source   string        `json:"source"`            // matches AgentProfile.Source of guests and AgentProfile.Runner of the crew
	Label    string        `json:"label"`             // "Claude Code"
	Color    string        `json:"color"`             // of its agents' lanyards, #rrggbb
	Scripted bool          `json:"scripted,omitzero"` // its agents follow a script and use no model
	Controls []CommandName `json:"controls,omitzero"` // default controls of its guests, unless their profile has others

	// Used by the server only.
	Provider string `json:"-"` // provider of the model, as OpenTelemetry names it; empty means unknown
	AsksOn   bool   `json:"-"` // its terminal still asks after the office withdraws a permission request
}

// Sources are the known sources of an office. Agents of any other source are only watched, unless
// their profile has Controls.
type Sources []Source

// crewControls are the commands that the crew obeys, on any runner.
var crewControls = []CommandName{CmdStopAgent, CmdKillAgent, CmdNewSession, CmdSwitchAgent, CmdHandover, CmdChat}

// Of returns the source with a name; for an unknown source only the name is set.
func (l Sources) Of(name string) Source {
	for i := range l {
		if l[i].Source == name {
			return l[i]
		}
	}
	return Source{Source: name}
}

// Obeyed returns the commands that an agent obeys. The slice is shared and must not be changed.
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

// Same reports whether two profiles are equivalent. Controls that equal the default of the source
// are the same as no controls.
func (l Sources) Same(p, q AgentProfile) bool {
	if !slices.Equal(l.Obeyed(&p), l.Obeyed(&q)) {
		return false
	}
	p.Controls, q.Controls = nil, nil
	return p.Equal(q)
}
