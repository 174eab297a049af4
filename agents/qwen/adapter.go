// Package qwen supports Qwen Code: it installs hooks, watches the sessions that people run, and finds
// Qwen Code on this machine. When Qwen Code is a runner of the crew, package acp drives it.
package qwen

import (
	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/agents/guest/hooked"
	"github.com/bullpen-office/bullpen/agents/watch"
	"github.com/bullpen-office/bullpen/contracts"
)

const (
	source         = "qwen"
	label          = "Qwen Code"
	installCommand = "npm install -g @qwen-code/qwen-code"
)

// Adapter shows Qwen Code sessions as guests.
var Adapter = agents.Adapter{
	Source: contracts.Source{Source: source, Label: label, Color: "#6f5bd0", Provider: "alibaba", KeepsAsking: true},
	Support: &agents.Support{
		Page: "agents.md#qwen-code-in-your-terminals", Watch: "hooks", Drive: "ACP", Approve: "yes", Tested: "0.15.10",
	},
	Hooks:          hooks,
	Find:           hooks.Finder(installCommand, 15, source),
	Watch:          watch.Adapt(func() guest.Vendor { return Vendor }),
	IsAgentProcess: func(pid int, started int64) bool { return watch.IsProcess(Vendor, pid, started) },
}

// Vendor describes Qwen Code's hooks and processes.
var Vendor = guest.Vendor{
	Source: source, Label: label, ParseHook: parseHook, NewSession: hooked.New(source, label),
	IsProgram: guest.Program(source, "@qwen-code/qwen-code"), AskWait: contracts.HookAskWait,
}
