package contracts

import "slices"

// The sources of agents that come in through doors of the office itself. Adapters name
// the others.
const (
	SourceCrew   = ""       // members of the crew, who are not guests
	SourceBridge = "bridge" // agents that dialled in
	SourceUI     = "ui"     // programs that send workflow events under a name
)

// Source describes where agents come from: a vendor, or a door of the office. Adapters
// declare it. The director asks it what agents obey, and clients show its label and
// colour: none of them knows a vendor by name.
type Source struct {
	Source   string        `json:"source"`            // as AgentProfile.Source of guests and AgentProfile.Runner of the crew name it
	Label    string        `json:"label"`             // "Claude Code"
	Color    string        `json:"color"`             // of its agents' lanyards, #rrggbb
	Scripted bool          `json:"scripted,omitzero"` // its agents follow a script and use no model
	Controls []CommandName `json:"controls,omitzero"` // what its guests obey unless their profile says otherwise

	// Of the server alone.
	Provider string `json:"-"` // who runs the model, as OpenTelemetry names it; empty means unknown
	AsksOn   bool   `json:"-"` // its terminal asks on after the office withdraws a permission request
}

// Sources are the sources that an office knows. Agents of any other source are only
// watched, unless their profile has Controls.
type Sources []Source

// crewControls are the commands that the crew obeys, on any runner.
var crewControls = []CommandName{CmdStopAgent, CmdKillAgent, CmdNewSession, CmdSwitchAgent, CmdHandover, CmdChat}

// Of returns the source with a name; of an unknown one, only the name.
func (l Sources) Of(name string) Source {
	for i := range l {
		if l[i].Source == name {
			return l[i]
		}
	}
	return Source{Source: name}
}

// Obeyed returns the commands that an agent obeys. The slice is shared: do not change it.
func (l Sources) Obeyed(p *AgentProfile) []CommandName {
	switch {
	case p.Controls != nil:
		return p.Controls
	case !p.Guest():
		return crewControls
	}
	return l.Of(p.Source).Controls
}

// Obeys reports whether an agent can be given a command. Agents that obey CmdChat can be
// sent messages.
func (l Sources) Obeys(p *AgentProfile, control CommandName) bool {
	return slices.Contains(l.Obeyed(p), control)
}

// Same reports whether two profiles say the same. Controls that are set to the default
// of the source equal controls that are not set.
func (l Sources) Same(p, q AgentProfile) bool {
	if !slices.Equal(l.Obeyed(&p), l.Obeyed(&q)) {
		return false
	}
	p.Controls, q.Controls = nil, nil
	return p.Equal(q)
}
