// Package gemini supports Gemini CLI: it installs hooks, watches the sessions that people run, and
// finds Gemini CLI on this machine. As a runner for the crew, Gemini CLI is driven by package acp.
package gemini

import (
	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/agents/guest/hooked"
	"github.com/bullpen-office/bullpen/agents/watch"
	"github.com/bullpen-office/bullpen/contracts"
)

const (
	source         = "gemini"
	label          = "Gemini CLI"
	installCommand = "npm install -g @google/gemini-cli"
)

// Adapter shows Gemini CLI sessions as guests.
var Adapter = agents.Adapter{
	Source: contracts.Source{Source: source, Label: label, Color: "#3f8f6b", Provider: "google"},
	Support: &agents.Support{
		Page: "agents.md#gemini-cli-in-your-terminals", Watch: "hooks", Drive: "ACP", Approve: "when driven", Tested: "0.61.0",
	},
	Hooks:          hooks,
	Find:           hooks.Finder(installCommand, 14, source),
	Watch:          watch.Adapt(func() guest.Vendor { return Vendor }),
	IsAgentProcess: func(pid int, started int64) bool { return watch.IsProcess(Vendor, pid, started) },
}

// Vendor describes Gemini CLI's hooks and processes.
var Vendor = guest.Vendor{
	Source: source, Label: label, ParseHook: parseHook, NewSession: hooked.New(source, label), IsProgram: guest.Program(source, "@google/gemini-cli"),
}
