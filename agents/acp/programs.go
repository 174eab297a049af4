package acp

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/staff"
)

// program is an agent program that is known to support the Agent Client Protocol.
type program struct {
	name      string // name of the built-in runner for the program
	label     string
	command   string
	args      []string
	install   string   // how to install the program
	variables []string // patterns for the environment variables that the program needs to reach its model
}

// programs lists the known programs in the order in which they are offered. Other programs need one
// line of configuration.
var programs = []program{
	{"opencode", "OpenCode", "opencode", []string{"acp"}, "npm install -g opencode-ai", []string{"OPENCODE_*"}},
	{"codex-acp", "Codex", "codex-acp", nil, "npm install -g @agentclientprotocol/codex-acp", []string{"CODEX_*", "OPENAI_*"}},
	{"gemini", "Gemini CLI", "gemini", []string{"--acp"}, "npm install -g @google/gemini-cli", []string{"GEMINI_*", "GOOGLE_*"}},
	{"qwen", "Qwen Code", "qwen", []string{"--acp"}, "npm install -g @qwen-code/qwen-code", []string{"DASHSCOPE_*", "OPENAI_*", "QWEN_*"}},
	{"goose", "Goose", "goose", []string{"acp"}, "install Goose from its website", []string{"GOOSE_*"}},
	{"copilot", "Copilot CLI", "copilot", []string{"--acp"}, "npm install -g @github/copilot", []string{"COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"}},
	{"cursor", "Cursor", "cursor-agent", []string{"acp"}, "install Cursor's command-line agent from its website", []string{"CURSOR_*"}},
	{"claude-agent-acp", "Claude Code over ACP", "claude-agent-acp", nil, "npm install -g @agentclientprotocol/claude-agent-acp", []string{"ANTHROPIC_*", "CLAUDE_*"}},
}

// programOf returns the known program that a runner starts. For any other program, the result
// contains only advice on how to install it.
func programOf(r staff.Runner) program {
	command := strings.TrimSuffix(filepath.Base(cmp.Or(r.Command, source)), ".exe")
	if i := slices.IndexFunc(programs, func(p program) bool { return p.command == command }); i >= 0 {
		return programs[i]
	}
	return program{install: "install it"}
}

// presets returns the runners for the known programs.
func presets() map[string]staff.Runner {
	list := map[string]staff.Runner{}
	for _, p := range programs {
		list[p.name] = staff.Runner{Kind: source, Command: p.command, Args: p.args}
	}
	return list
}
