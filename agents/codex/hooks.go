package codex

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/codex/translate"
	"github.com/bullpen-office/bullpen/agents/hook"
	"github.com/bullpen-office/bullpen/agents/hook/install"
	"github.com/bullpen-office/bullpen/contracts"
)

// shortTimeout is the longest timeout that Codex accepts for SessionEnd and Interrupt, in seconds.
const shortTimeout = 3

// HookedProgram describes the hooks that Codex runs.
var HookedProgram = install.Program{
	Name: translate.Source,
	Events: []install.Event{
		{Name: "SessionStart", Timeout: install.HookTimeout},
		{Name: "UserPromptSubmit", Timeout: install.HookTimeout},
		{Name: "PreToolUse", Timeout: install.HookTimeout},
		{Name: "PermissionRequest", Timeout: int((contracts.CodexAskWait + 10*time.Second) / time.Second)},
		{Name: "PostToolUse", Timeout: install.HookTimeout},
		{Name: "PreCompact", Timeout: install.HookTimeout},
		{Name: "PostCompact", Timeout: install.HookTimeout},
		{Name: "Stop", Timeout: install.HookTimeout},
		{Name: "Interrupt", Timeout: shortTimeout},
		{Name: "SessionEnd", Timeout: shortTimeout},
	},
}

// hooks installs hooks in Codex's hooks.json.
type hooks struct{ install.Place }

const hooksFile = "hooks.json"

const hooksHelp = `Codex (codex): install adds one hook per event to Codex's hooks.json (~/.codex or
$CODEX_HOME; with --project, .codex in that project) and leaves the rest of the file
alone. The original is saved as hooks.json.bullpen-backup. Codex runs new and changed
hooks only after you have reviewed them: start codex and type /hooks.`

func (hooks) Help() string { return hooksHelp }

// trust says what people have to do before Codex runs the hooks.
const trust = "Codex runs new hooks only after you have reviewed them: start codex and type /hooks"

// entries returns the hooks for an office.
func entries(self, dataDir, url string) []install.Entry {
	return install.Plan{Program: &HookedProgram, Command: HookedProgram.OfficeCommand(self, dataDir, url)}.Entries()
}

func (s hooks) Install(_ context.Context, h agents.HookConfig) (r agents.HookReport, err error) {
	if h.Transport == agents.HooksByHTTP {
		return r, &agents.UsageError{Err: errors.New("hooks of Codex are commands: use --transport command")}
	}
	path, err := s.Path(h.Project)
	if err != nil {
		return r, err
	}
	done, err := HookedProgram.InstallFile(path, entries(h.Self, h.DataDirFlag, h.TypedURL))
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
		lines = append(lines, fmt.Sprintf("the office requires a token: create one with `bullpen token create --role agent`, and start Codex with %s set to it", hook.TokenVariable))
	}
	return agents.HookReport{JSON: done, Lines: append(lines, trust)}, nil
}

func (s hooks) Summary(office string) (h agents.HookSummary) {
	var err error
	if h.Path, err = s.Path(""); err != nil {
		return h
	}
	have, err := read(h.Path)
	if err != nil {
		h.Problem = err.Error()
		return h
	}
	h.Installed, h.Events = len(have) > 0, len(have)
	for _, e := range have {
		if at := install.CommandArgument(e.Command, "--url"); office != "" && at != "" && at != office {
			h.OtherOffice = agents.WithoutSecrets(at)
		}
	}
	return h
}

// read returns our hooks in the file at path, which need not exist.
func read(path string) ([]install.Entry, error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read Codex's hooks: %w", err)
	}
	have, err := HookedProgram.Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return have.Entries, nil
}

// hooksStatus is the output of `bullpen hooks status codex --json`.
type hooksStatus struct {
	Path      string          `json:"path"`
	Installed bool            `json:"installed"`
	Events    []install.Entry `json:"events"`
	Office    string          `json:"office,omitzero"`
	Answers   bool            `json:"answers"`
	Problems  []string        `json:"problems"`
}

func (s hooks) Status(_ context.Context, h agents.HookConfig) (agents.HookReport, error) {
	path, err := s.Path(h.Project)
	if err != nil {
		return agents.HookReport{}, err
	}
	have, err := read(path)
	if err != nil {
		return agents.HookReport{}, err
	}
	r := hooksStatus{Path: path, Installed: len(have) > 0, Events: have, Office: h.OfficeURL, Answers: h.Answers, Problems: problems(have, h)}
	return agents.HookReport{JSON: r, Lines: r.lines(), Problems: r.Problems}, nil
}

// problems compares the installed hooks with the expected hooks for this office.
func problems(have []install.Entry, h agents.HookConfig) []string {
	list := []string{}
	const again = "; run `bullpen hooks install codex` again"
	for _, e := range have {
		program, known := install.CommandProgram(e.Command)
		_, err := os.Stat(program)
		at, data := install.CommandArgument(e.Command, "--url"), install.CommandArgument(e.Command, "--data")
		problem := ""
		switch {
		case known && err != nil:
			problem = "the hook command no longer exists: " + program + again
		case at != "" && at != h.OfficeURL && at != h.TypedURL:
			problem = "hooks report to " + agents.WithoutSecrets(at) + again
		case at == "" && data != h.DataDirFlag:
			problem = "hooks report to the office with another data directory, not to " + h.DataDir + again
		}
		if problem != "" && !slices.Contains(list, problem) {
			list = append(list, problem)
		}
	}
	if n := len(have); n > 0 && n < len(HookedProgram.Events) {
		list = append(list, "some events have no hook"+again)
	}
	return list
}

func (r *hooksStatus) lines() []string {
	state := "not installed; run `bullpen hooks install codex`"
	if r.Installed {
		state = "installed"
	}
	lines := []string{fmt.Sprintf("hooks     %s (%s)", state, r.Path)}
	if r.Answers {
		lines = append(lines, "office    running at "+r.Office)
	} else {
		lines = append(lines, "office    not running; hook events are stored on disk until it starts")
	}
	if r.Installed {
		lines = append(lines, "codex     "+strings.Replace(trust, "Codex runs", "runs", 1))
	}
	for _, e := range r.Events {
		lines = append(lines, fmt.Sprintf("  %-18s %-7s %s", e.Event, e.Type, e.Command))
	}
	for _, p := range r.Problems {
		lines = append(lines, "problem   "+p)
	}
	return lines
}
