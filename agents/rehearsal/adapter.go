package rehearsal

import (
	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/staff"
)

// Adapter supports the built-in crew, which follows a script and needs no model.
var Adapter = agents.Adapter{
	Source: contracts.Source{Source: contracts.RunnerRehearsal, Label: "Rehearsal", Color: "#8a6b5c", Provider: "rehearsal", Scripted: true},
	Runner: &staff.Spec{
		Kind: contracts.RunnerRehearsal, Note: "a scripted crew that needs no model or key", BuiltIn: true,
		Priced: func(staff.Runner) bool { return true },
	},
	Drive: func(d agents.DriveConfig) agents.NewDriver {
		return func(string, staff.Runner) (drive.Driver, error) {
			return New(Config{Pace: d.Pace, Folder: d.Folder, Home: d.Home, Summary: d.Summary}), nil
		}
	},
	People: Crew,
}
