package main

import (
	"fmt"
	"io"
	"strings"
)

// staffExample is the nested part of a configuration, as it would be written.
const staffExample = `# Who does the work. The eight people of the built-in crew are there already; name
# one of them to change something about it, or somebody new.
agents:
  - id: agent_writer_1        # built in: only what is different is said
    runner: fast
  - id: agent_eng_3           # new: needs a name and a role
    name: Ivo
    role: engineer            # researcher, writer, designer, engineer, strategist or reviewer
    runner: coder
    workspace: /srv/code/shop # where its program works
    home: poi_lounge          # place in the scene

# How they work, by name. "crew: fast" puts everybody on one; rehearsal, openai,
# claude, openclaw and peer are runners with nothing but defaults.
runners:
  fast:
    kind: openai              # any endpoint that speaks OpenAI's chat completions
    model: gpt-5-mini
    base_url: https://api.openai.com/v1 # default OPENAI_BASE_URL
    api_key_env: OPENAI_API_KEY # or api_key_file: a private file; a key itself is refused here
    format: auto              # auto, json_schema, json_object or plain
    max_tokens: 16000
    stall: 60s                # without a byte of an answer
    retries: 4
    prices:                   # USD per million tokens; a model without a price costs an unknown amount
      gpt-5-mini: {in: 0.25, out: 2, cache: 0.025}
  local:
    kind: openai
    base_url: http://127.0.0.1:11434/v1 # needs no key
    model: llama3.3
    format: json_object
    temperature: 0.2
  coder:
    kind: claude              # Claude Code, as a process of the office
    command: claude
    args: [--permission-mode, default]
    workspace: /srv/code
    env: [GITHUB_TOKEN]       # credentials of the office's environment that it gets beside its own; NAME or BEGINNING_*
  gateway:
    kind: openclaw
    url: ws://127.0.0.1:18789
    token_env: OPENCLAW_GATEWAY_TOKEN # or token_file
    agent: main
  helper:
    kind: peer                # a program that dials /bridge; with a command the office starts it
    command: /usr/local/bin/helper
    args: [--bridge]

# What sessions that name no price cost, in USD per million tokens. Public list
# prices of known models are built in; these win over them.
prices:
  claude-sonnet-4-5: {in: 3, out: 15, cache: 0.3, write: 3.75, write_hour: 6}

# Hard limits: work stops, and says which budget it was. Leave out what has none.
budgets:
  task: {usd: 2, tokens: 2_000_000}       # one task, all its attempts
  agent_day: {tokens: 20_000_000}         # one person on a day (UTC)
  day: {usd: 25, tokens: 50_000_000}      # the whole crew on a day (UTC)

# Agents that come in through the bridge.
bridge:
  roots: [/srv/code]          # directories in which they may be told to work
  heartbeat: 15s
  idle: 15m
  runner: coder               # starts a process per conversation for agents that are neither on the staff nor connected (claude, or peer with a command)
  spawn: []                   # instead of runner: program and arguments that dial /bridge
  env: []                     # credentials that this program gets
  trust_loopback: false       # true: any program on this machine may dial /bridge without a token
`

// printExample writes a file with every key. Everything is commented out: the
// example changes nothing until somebody chooses.
func printExample(w io.Writer) {
	fmt.Fprintf(w, "# %s: flags and environment variables win over this file.\n", configName)
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
