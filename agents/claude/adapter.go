package claude

import (
	"context"
	"path/filepath"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/claude/guests"
	"github.com/bullpen-office/bullpen/agents/claude/translate"
	"github.com/bullpen-office/bullpen/agents/watch"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/staff"
)

// Adapter makes Claude Code available as a runner of the crew, and its sessions as guests.
var Adapter = agents.Adapter{
	Source: contracts.Source{Source: translate.Source, Label: programName, Color: "#c75f3a", Provider: "anthropic", AsksOn: true},
	Runner: &staff.Spec{
		Kind:   translate.Source,
		Fields: []string{"model", "command", "args", "workspace", "env", "lenient"},
		Starts: func(staff.Runner) bool { return true },
		Priced: func(staff.Runner) bool { return true }, // Claude Code reports its own cost
		// Claude Code can also use models through Bedrock, Vertex and Foundry.
		Families: []string{"ANTHROPIC_*", "CLAUDE_*", "MCP_*", "AWS_*", "GOOGLE_*", "AZURE_*"},
		// With these variables, Claude Code would assume that another Claude Code started it.
		Private: []string{"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_SSE_PORT", "CLAUDE_PROJECT_DIR"},
		Prices:  staff.PriceList{AsOf: pricesAsOf, Of: listPrice},
	},
	Drive: func(d agents.DriveConfig) agents.NewDriver {
		return func(_ string, r staff.Runner) (drive.Driver, error) {
			return New(Config{Command: r.Command, Args: r.Args, Model: r.Model, Began: d.Began, Now: d.Now, Log: d.Log}), nil
		}
	},
	Check: func(_ context.Context, c agents.CheckConfig) []agents.Finding {
		return []agents.Finding{c.Program("claude", "install Claude Code ("+getClaude+")")}
	},
	Hooks: hooks{},
	Find:  find,
	Settings: &agents.Settings{
		Flags: []agents.Flag{
			{Name: flagDir, Default: dirAuto, Usage: "Claude Code directory to watch for sessions: auto (CLAUDE_CONFIG_DIR or ~/.claude), off, or a path"},
		},
		Resolve: resolve,
	},
	Watch:  newWatcher,
	Proves: func(pid int, started int64) bool { return watch.IsProcess(guests.Vendor, pid, started) },
}

const flagDir = "claude-dir"

// Values of --claude-dir that are not paths.
const (
	dirAuto = "auto"
	dirOff  = "off"
)

// resolve returns the option with Claude Code's directory, which need not exist yet, or no options
// if --claude-dir is off.
func resolve(set agents.Options, getenv func(string) string) (agents.Options, error) {
	dir := set.Get(flagDir)
	switch dir {
	case dirOff:
		return nil, nil
	case dirAuto, "":
		dir = Dir(getenv)
	}
	return agents.Options{agents.OptionDir: {dir}}, nil
}

// Dir returns Claude Code's directory: CLAUDE_CONFIG_DIR or ~/.claude; "" if the variable is not
// set and there is no home directory.
func Dir(getenv func(string) string) string { return configDir(getenv, home()) }

func configDir(getenv func(string) string, home string) string {
	if dir := getenv("CLAUDE_CONFIG_DIR"); dir != "" || home == "" {
		return dir
	}
	return filepath.Join(home, ".claude")
}

func newWatcher(w agents.WatchConfig) (agents.Watcher, error) {
	spool := w.DataDir
	if !w.Durable {
		spool = "" // leave the spool to a durable office
	}
	return watch.New(context.Background(), watch.Config{
		Vendor: guests.Vendor, Office: w.Office, Roster: w.Roster, Ignore: w.Ours, Principal: w.Principal, Dir: w.Options.Get(agents.OptionDir), Home: w.Home, Spool: spool,
		Keep: w.KeepThinking, Price: w.Price, Now: w.Now, Log: w.Log, Metrics: w.Metrics,
	})
}
