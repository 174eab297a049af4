package main

import (
	"fmt"
	"io"
	"strings"
)

// staffExample is the nested part of the example configuration.
const staffExample = `# The crew. Its eight built-in agents are always there; list one to change it, or add
# new agents.
agents:
  - id: agent_writer_1        # built in: list only what differs
    runner: fast
  - id: agent_eng_3           # new: needs a name and a role
    name: Ivo
    role: engineer            # researcher, writer, designer, engineer, strategist or reviewer
    runner: coder
    workspace: /srv/code/shop # working directory of its program
    home: poi_lounge          # place in the scene

# Runners: what agents run on, by name. "crew: fast" sets the default for all agents;
# rehearsal, openai, claude, codex, openclaw, peer and mcp are runners with default settings.
runners:
  fast:
    kind: openai              # any endpoint that speaks OpenAI's chat completions
    model: gpt-5-mini
    base_url: https://api.openai.com/v1 # default OPENAI_BASE_URL
    api_key_env: OPENAI_API_KEY # or api_key_file: a private file; the key itself is rejected here
    format: auto              # auto, json_schema, json_object or plain
    max_tokens: 16000
    stall: 60s                # maximum time between two bytes of an answer
    retries: 4
    prices:                   # USD per million tokens; without a price the cost is unknown
      gpt-5-mini: {in: 0.25, out: 2, cache: 0.025}
  local:
    kind: openai
    base_url: http://127.0.0.1:11434/v1 # needs no key
    model: llama3.3
    format: json_object
    temperature: 0.2
  coder:
    kind: claude              # Claude Code, started by the office
    command: claude
    args: [--permission-mode, default]
    workspace: /srv/code
    lenient: false            # true: if two answers lack the required format, accept the text as one document
    env: [GITHUB_TOKEN]       # credentials from the office's environment to pass to it; NAME or PREFIX_*
  editor:
    kind: acp                 # any program that speaks the Agent Client Protocol, started by the office
    command: [opencode, acp]  # the program and its arguments
    mode: build               # one of the agent's own modes; default: the agent's default
    workspace: /srv/code
    env: [OPENAI_API_KEY]
  second:
    kind: codex               # Codex, started by the office
    command: codex
    workspace: /srv/code
  visitor:
    kind: mcp                 # an agent that fetches its own tasks through bullpen mcp
  gateway:
    kind: openclaw
    url: ws://127.0.0.1:18789
    token_env: OPENCLAW_GATEWAY_TOKEN # or token_file
    agent: main
  helper:
    kind: peer                # a program that connects to /bridge; with a command the office starts it
    command: /usr/local/bin/helper
    args: [--bridge]

# Prices for sessions that report no cost, in USD per million tokens. Public list
# prices of known models are built in; these override them.
prices:
  claude-sonnet-4-5: {in: 3, out: 15, cache: 0.3, write: 3.75, write_hour: 6}

# Hard limits: when a budget is used up, work stops. Omit a key for no limit.
budgets:
  task: {usd: 2, tokens: 2_000_000}       # one task, including all its attempts
  agent_day: {tokens: 20_000_000}         # one agent per day (UTC)
  day: {usd: 25, tokens: 50_000_000}      # the whole crew per day (UTC)

# Rules for the tool calls that agents ask permission for. The most restrictive rule that
# matches decides; you are asked about calls that no rule matches. "bullpen policy test" explains a decision.
policy:
  - id: status                # shown with every call that the rule decides
    effect: allow             # allow, ask or deny
    reason: changes nothing
    tool: exec                # exec, read, write, edit, web_fetch or the name of another tool
    command: [git status, go test *]
  - id: default.package-runners # replaces the built-in rule with this id
    effect: deny
    tool: exec
    command: npx
  - id: docs
    effect: allow
    tool: web_fetch
    host: "*.example.com"
  - id: shop
    effect: allow
    tool: [read, edit]
    path: ~/code/shop/**
    repo: ~/code/shop
    agent: agent_eng_*

# Git repositories that the crew works in; "bullpen repo add" adds one without a restart.
repos:
  - path: /srv/code/shop
    name: shop                # default: the name of the directory
    target: main              # branch to land work in; default: the checked-out branch

# Agents that connect through the bridge.
bridge:
  roots: [/srv/code]          # directories that callers may choose as a workspace
  heartbeat: 15s
  idle: 15m
  runner: coder               # claude, acp, or peer with a command: starts a process per conversation for agents that are neither in the crew nor connected
  spawn: []                   # instead of runner: a program that connects to /bridge, and its arguments
  env: []                     # credentials to pass to this program
  trust_loopback: false       # true: any program on this machine may connect to /bridge without a token
`

// printExample writes a configuration file with every key, commented out.
func printExample(w io.Writer) {
	fmt.Fprintf(w, "# %s: flags and environment variables override this file.\n", configName)
	for _, f := range inFile() {
		fmt.Fprintf(w, "\n# %s (%s, --%s)\n# %s: %s\n", f.Usage, environmentName(f.Name), f.Name, fileKey(f.Name), exampleValue(f))
	}
	fmt.Fprintln(w)
	for line := range strings.Lines(staffExample) {
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
			fmt.Fprint(w, line)
		default:
			fmt.Fprint(w, "# "+line)
		}
	}
}
