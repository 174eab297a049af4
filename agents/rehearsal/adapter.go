package rehearsal

import (
	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/staff"
)

// Adapter is the built-in crew.
var Adapter = agents.Adapter{
	Source: contracts.Source{Source: contracts.RunnerRehearsal, Label: "Rehearsal", Color: "#8a6b5c", Provider: "rehearsal", Scripted: true},
	Kind:   staff.Rehearsal,
}
