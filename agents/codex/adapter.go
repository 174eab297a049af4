package codex

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/codex/guests"
	"github.com/bullpen-office/bullpen/agents/codex/translate"
	"github.com/bullpen-office/bullpen/agents/watch"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/staff"
)

// Adapter makes Codex available as a runner of the crew, and its sessions as guests.
var Adapter = agents.Adapter{
	Source: contracts.Source{Source: translate.Source, Label: translate.Label, Color: "#4a6fa5", Provider: "openai", AsksOn: true},
	Runner: &staff.Spec{
		Kind:     translate.Source,
		Fields:   []string{"model", "mode", "command", "args", "workspace", "env", "lenient"},
		Starts:   func(staff.Runner) bool { return true },
		Families: []string{"CODEX_*", "OPENAI_*"},
		Check: func(r staff.Runner, wrong func(field, format string, args ...any)) {
			if r.Mode != "" && !slices.Contains(Modes, r.Mode) {
				wrong("mode", "unknown mode %q: use %s", r.Mode, strings.Join(Modes, ", "))
			}
		},
	},
	Drive: func(d agents.DriveConfig) agents.NewDriver {
		return func(_ string, r staff.Runner) (drive.Driver, error) {
			return New(Config{Command: r.Command, Args: r.Args, Model: r.Model, Mode: r.Mode, Version: d.Version, Began: d.Began, Now: d.Now, Log: d.Log}), nil
		}
	},
	Check: func(_ context.Context, c agents.CheckConfig) []agents.Finding {
		return []agents.Finding{c.Program(program, "install Codex ("+getCodex+")")}
	},
	Hooks: hooks{},
	Find:  find,
	Settings: &agents.Settings{
		Flags: []agents.Flag{
			{Name: flagDir, Default: dirAuto, Usage: "Codex directory to watch for sessions: auto (CODEX_HOME or ~/.codex), off, or a path"},
		},
		Resolve: resolve,
	},
	Watch:  newWatcher,
	Proves: func(pid int, started int64) bool { return watch.IsProcess(guests.Vendor(), pid, started) },
}

const flagDir = "codex-dir"

// Values of --codex-dir that are not paths.
const (
	dirAuto = "auto"
	dirOff  = "off"
)

// resolve returns the option with Codex's directory, which need not exist yet, or no options if
// --codex-dir is off.
func resolve(set agents.Options, getenv func(string) string) (agents.Options, error) {
	dir := set.Get(flagDir)
	switch dir {
	case dirOff:
		return nil, nil
	case dirAuto, "":
		home, _ := os.UserHomeDir() // without a home directory, only CODEX_HOME counts
		dir = configDir(getenv, home)
	}
	return agents.Options{agents.OptionDir: {dir}}, nil
}

// configDir returns Codex's directory: CODEX_HOME or ~/.codex; "" if the variable is not set and
// there is no home directory.
func configDir(getenv func(string) string, home string) string {
	if dir := getenv("CODEX_HOME"); dir != "" || home == "" {
		return dir
	}
	return filepath.Join(home, ".codex")
}

func newWatcher(w agents.WatchConfig) (agents.Watcher, error) {
	spool := w.DataDir
	if !w.Durable {
		spool = "" // leave the spool to a durable office
	}
	return watch.New(context.Background(), watch.Config{
		Vendor: guests.Vendor(), Office: w.Office, Roster: w.Roster, Ignore: w.Ours, Principal: w.Principal, Dir: w.Options.Get(agents.OptionDir), Home: w.Home, Spool: spool,
		Keep: w.KeepThinking, Price: w.Price, Now: w.Now, Log: w.Log, Metrics: w.Metrics,
	})
}
