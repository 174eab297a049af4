package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/hook"
)

// Commands implements agents.Hooks for a program that runs a command for each hook. Answers and
// Note are optional.
type Commands struct {
	Place
	Text    string // paragraph for `bullpen hooks --help`
	Answers bool   // people can answer the program's permission requests in the office
	Note    string // manual steps that are needed before the program runs new hooks; empty if there are none
}

// Help returns the paragraph for `bullpen hooks --help`.
func (c Commands) Help() string { return c.Text }

// entries returns the hooks for an office.
func (c Commands) entries(self, dataDir, url string) []Entry {
	return Plan{Program: c.Program, Command: c.Program.OfficeCommand(self, dataDir, url)}.Entries()
}

// Install adds or updates the hooks.
func (c Commands) Install(_ context.Context, h agents.HookConfig) (r agents.HookReport, err error) {
	if h.Transport == agents.HooksByHTTP {
		return r, &agents.UsageError{Err: fmt.Errorf("%s supports only command hooks: use --transport command", c.Dir.Label)}
	}
	path, err := c.Path(h.Project)
	if err != nil {
		return r, err
	}
	done, err := c.Program.InstallFile(path, c.entries(h.Self, h.DataDirFlag, h.TypedURL))
	if err != nil {
		return agents.HookReport{JSON: done}, err
	}
	verb := "installed"
	if !done.Changed {
		verb = "already installed:"
	}
	lines := []string{fmt.Sprintf("%s %d hooks in %s", verb, len(done.Entries), done.Path)}
	if done.Backup != "" {
		lines = append(lines, "original saved as "+done.Backup)
	}
	if h.Token {
		lines = append(lines, fmt.Sprintf("the office requires a token: create one with `bullpen token create --role agent`, and start %s with %s set to that token", c.Dir.Label, hook.TokenVariable))
	}
	if c.Note != "" {
		lines = append(lines, c.Note)
	}
	return agents.HookReport{JSON: done, Lines: lines}, nil
}

// Summary returns the state of the hooks in the user's settings.
func (c Commands) Summary(office string) (h agents.HookSummary) {
	var err error
	if h.Path, err = c.Path(""); err != nil {
		return h
	}
	have, err := c.readFile(h.Path)
	if err != nil {
		h.Problem = err.Error()
		return h
	}
	h.Installed, h.Events = len(have.Entries) > 0, len(have.Entries)
	if h.Installed && have.Disabled {
		h.Problem = disabled + " in " + h.Path + "; remove that setting to run hooks"
	}
	for _, e := range have.Entries {
		if at := CommandArgument(e.Command, "--url"); office != "" && at != "" && at != office {
			h.OtherOffice = agents.WithoutSecrets(at)
		}
	}
	return h
}

const disabled = "disableAllHooks is set"

// readFile returns the hook settings in the file at path, which need not exist.
func (c Commands) readFile(path string) (Settings, error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Settings{}, fmt.Errorf("read the hooks of %s: %w", c.Dir.Label, err)
	}
	have, err := c.Program.Read(text)
	if err != nil {
		return Settings{}, fmt.Errorf("%s: %w", path, err)
	}
	return have, nil
}

// commandsStatus is the output of `bullpen hooks status NAME --json`.
type commandsStatus struct {
	Path      string   `json:"path"`
	Installed bool     `json:"installed"`
	Events    []Entry  `json:"events"`
	Office    string   `json:"office,omitzero"`
	Answers   bool     `json:"answers"`
	Problems  []string `json:"problems"`
}

// Status compares the installed hooks with the expected ones.
func (c Commands) Status(_ context.Context, h agents.HookConfig) (agents.HookReport, error) {
	path, err := c.Path(h.Project)
	if err != nil {
		return agents.HookReport{}, err
	}
	have, err := c.readFile(path)
	if err != nil {
		return agents.HookReport{}, err
	}
	r := commandsStatus{Path: path, Installed: len(have.Entries) > 0, Events: have.Entries, Office: h.OfficeURL, Answers: h.OfficeRunning, Problems: c.problems(have, h)}
	return agents.HookReport{JSON: r, Lines: c.statusLines(&r, h), Problems: r.Problems}, nil
}

// problems describes what is wrong with the installed hooks for this office.
func (c Commands) problems(have Settings, h agents.HookConfig) []string {
	list := []string{}
	again := "; run `" + h.InstallCommand(c.Program.Name) + "` again"
	for _, e := range have.Entries {
		program, known := CommandProgram(e.Command)
		_, err := os.Stat(program)
		at, data := CommandArgument(e.Command, "--url"), CommandArgument(e.Command, "--data")
		problem := ""
		switch {
		case known && err != nil:
			problem = "the hook command no longer exists: " + program + again
		case at != "" && at != h.OfficeURL && at != h.TypedURL:
			problem = "hooks report to " + agents.WithoutSecrets(at) + ", not to this office" + again
		case at == "" && data != h.DataDirFlag:
			problem = "hooks report to the office of a different data directory, not of " + h.DataDir + again
		}
		if problem != "" && !slices.Contains(list, problem) {
			list = append(list, problem)
		}
	}
	n := len(have.Entries)
	if n > 0 && n < len(c.Program.Events) {
		list = append(list, "some events have no hook"+again)
	}
	if n > 0 && have.Disabled {
		list = append(list, disabled+" in this file, so "+c.Dir.Label+" runs no hooks; remove that setting")
	}
	return list
}

func (c Commands) statusLines(r *commandsStatus, h agents.HookConfig) []string {
	state := "not installed; run `" + h.InstallCommand(c.Program.Name) + "`"
	if r.Installed {
		state = "installed"
	}
	lines := []string{fmt.Sprintf("hooks     %s (%s)", state, r.Path)}
	if r.Answers {
		lines = append(lines, "office    running at "+r.Office)
	} else {
		lines = append(lines, "office    not running; hook events are stored on disk until it starts")
	}
	if r.Installed && c.Note != "" {
		lines = append(lines, fmt.Sprintf("%-9s %s", "note", c.Note))
	}
	for _, e := range r.Events {
		lines = append(lines, fmt.Sprintf("  %-18s %-7s %s", e.Event, e.Type, e.Command))
	}
	for _, p := range r.Problems {
		lines = append(lines, "problem   "+p)
	}
	return lines
}
