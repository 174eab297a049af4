package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// examples maps command paths to the examples in their help.
var examples = map[string]string{
	"help":           "bullpen help exit-codes",
	"serve":          "bullpen serve --addr 127.0.0.1:5000 --data ./office",
	"open":           "bullpen open --print",
	"status":         "bullpen status --json | jq .readiness.ready",
	"cost":           "bullpen cost --days 30",
	"approve":        "bullpen approve art_k7x3",
	"changes":        "bullpen changes art_k7x3 \"Make it shorter and list the prices\"",
	"agent list":     "bullpen agent list --json | jq -r '.agents[].name'\nbullpen agent list --studio shop-api",
	"agent explain":  "bullpen agent explain Cleo",
	"agent stop":     "bullpen agent stop Cleo",
	"agent kill":     "bullpen agent kill Cleo",
	"agent new":      "bullpen agent new Cleo",
	"agent switch":   "bullpen agent switch Cleo Dov",
	"agent handover": "bullpen agent handover Cleo Dov",
	"agent say":      "bullpen agent say Cleo \"How far along are you?\"",
	"policy list":    "bullpen policy list --place .",
	"policy test":    "bullpen policy test --command \"git push --force\"",
	"check":          "bullpen check --receipt ../shop.receipt",
	"receipt key":    "bullpen receipt key > office.pub",
	"receipt":        "bullpen receipt task_t1 --export ../shop.receipt",
	"repo add":       "bullpen repo add ~/code/shop --target main",
	"repo list":      "bullpen repo list",
	"repo remove":    "bullpen repo remove shop",
	"task land":      "bullpen task land task_t1 --how squash",
	"task review":    "bullpen task review task_t1 --by agent_rae",
	"repo snapshot":  "bullpen repo snapshot --reason \"before the big merge\"",
	"project list":   "bullpen project list --json | jq -r '.projects[].title'",
	"project show":   "bullpen project show proj_p1",
	"task list":      "bullpen task list --project proj_p1",
	"task assign":    "bullpen task assign task_t1 Cleo",
	"task cancel":    "bullpen task cancel task_t1 --reason \"No longer needed\"",
	"artifact list":  "bullpen artifact list",
	"artifact show":  "bullpen artifact show art_a1 > plan.md",
	"artifact diff":  "bullpen artifact diff art_a2",
	"connect":        "bullpen connect --json | jq '.items[] | {name, state, command}'",
	"join":           "bullpen join https://office.example --token-file laptop.token",
	"mcp":            "claude mcp add bullpen --env BULLPEN_TOKEN=TOKEN -- bullpen mcp",
	"token create":   "bullpen token create --role agent --agent agent_nightly --expires 720h",
	"token list":     "bullpen token list",
	"token revoke":   "bullpen token revoke tok_k7x3",
	"doctor":         "bullpen doctor --probe",
	"verify":         "bullpen verify --json | jq -r .link",
	"new-epoch":      "bullpen new-epoch",
	"redact":         "bullpen redact 17 21 --reason 'customer request' --dry-run",
	"config check":   "bullpen config check bullpen.yaml",
	"config show":    "bullpen config show --pace 5",
	"config example": "bullpen config example > ~/.bullpen/bullpen.yaml",
	"scene check":    "bullpen scene check scene.json",
	"scene plan":     "bullpen scene plan\nbullpen scene plan scene.json --studios 6",
	"version":        "bullpen version --json",

	"completion bash":       "bullpen completion bash > ~/.local/share/bash-completion/completions/bullpen",
	"completion zsh":        "bullpen completion zsh > ~/.zfunc/_bullpen",
	"completion fish":       "bullpen completion fish > ~/.config/fish/completions/bullpen.fish",
	"completion powershell": "bullpen completion powershell | Out-String | Invoke-Expression",

	"man": "bullpen man ~/.local/share/man/man1",
}

// addExamples sets the examples of all commands. A command with subcommands shows the first example
// of each subcommand.
func addExamples(c *cobra.Command) {
	if line := examples[pathBelowRoot(c)]; line != "" {
		c.Example = "  " + strings.ReplaceAll(line, "\n", "\n  ")
	}
	var lines []string
	for _, below := range c.Commands() {
		addExamples(below)
		if first, _, _ := strings.Cut(below.Example, "\n"); first != "" && !below.Hidden {
			lines = append(lines, first)
		}
	}
	if c.Example == "" && c.HasParent() {
		c.Example = strings.Join(lines, "\n")
	}
}

// pathBelowRoot returns the path of a command without the program name, for example "agent list".
func pathBelowRoot(c *cobra.Command) string {
	_, path, _ := strings.Cut(c.CommandPath(), " ")
	return path
}
