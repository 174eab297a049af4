// Package qwen supports Qwen Code: it installs hooks, watches the sessions that people run, and finds
// Qwen Code on this machine. As a runner of the crew, Qwen Code is driven by package acp.
package qwen

import (
	"context"
	"os/exec"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/agents/guest/hooked"
	"github.com/bullpen-office/bullpen/agents/hook/install"
	"github.com/bullpen-office/bullpen/agents/watch"
	"github.com/bullpen-office/bullpen/contracts"
)

const (
	source = "qwen"
	label  = "Qwen Code"
	get    = "npm install -g @qwen-code/qwen-code"
)

// Adapter shows sessions of Qwen Code as guests.
var Adapter = agents.Adapter{
	Source: contracts.Source{Source: source, Label: label, Color: "#6f5bd0", Provider: "alibaba", AsksOn: true},
	Works: &agents.Works{
		Page: "agents.md#qwen-code-in-your-terminals", Watch: "hooks", Drive: "ACP", Approve: "yes", Tested: "recorded hooks of 0.15.10",
	},
	Hooks:  hooks,
	Find:   find,
	Watch:  watch.Adapt(func() guest.Vendor { return Vendor }),
	Proves: func(pid int, started int64) bool { return watch.IsProcess(Vendor, pid, started) },
}

// Vendor describes Qwen Code's hooks and processes.
var Vendor = guest.Vendor{
	Source: source, Label: label, ParseHook: parseHook, NewSession: hooked.New(source, label),
	IsProgram: guest.Program(source, "@qwen-code/qwen-code"), AskWait: contracts.HookAskWait,
}

// find returns the item for Qwen Code in people's terminals.
func find(_ context.Context, m *agents.Machine) []agents.Item {
	dir := dir.On(m, source)
	if dir == "" {
		return nil
	}
	path, _ := exec.LookPath(source) // empty if it is not installed
	return []agents.Item{hooks.Sessions(m, install.Found{Path: path, Get: get, Dir: dir, Order: 15})}
}
