package claude

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/hook/install"
)

// hooksStatus is the output of `bullpen hooks status claude --json`.
type hooksStatus struct {
	Path      string        `json:"path"`
	Installed bool          `json:"installed"`
	Events    []eventStatus `json:"events"`
	Foreign   int           `json:"foreign"` // other hooks in the settings file
	Claude    claudeStatus  `json:"claude"`
	Office    string        `json:"office,omitzero"`
	Answers   bool          `json:"answers"`
	Problems  []string      `json:"problems"`
}

type eventStatus struct {
	Event     string `json:"event"`
	Known     bool   `json:"known"` // supported by this version of Claude Code
	Installed bool   `json:"installed"`
	Type      string `json:"type,omitzero"`
	URL       string `json:"url,omitzero"`
	Command   string `json:"command,omitzero"`
}

type claudeStatus struct {
	Program   string `json:"program,omitzero"`
	Version   string `json:"version"`
	HTTPHooks bool   `json:"http_hooks"`
}

func (s hooks) Status(ctx context.Context, h agents.HookConfig) (agents.HookReport, error) {
	r := hooksStatus{Events: []eventStatus{}, Problems: []string{}, Office: h.OfficeURL, Answers: h.OfficeRunning}
	var err error
	if r.Path, err = s.Path(h.Project); err != nil {
		return agents.HookReport{}, err
	}
	text, err := os.ReadFile(r.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return agents.HookReport{}, fmt.Errorf("read Claude Code's settings: %w", err)
	}
	have, err := HookedProgram.Read(text)
	if err != nil {
		return agents.HookReport{}, fmt.Errorf("%s: %w", r.Path, err)
	}
	program, version, err := selected(ctx, h)
	if err != nil {
		return agents.HookReport{}, err
	}
	r.Installed, r.Foreign = len(have.Entries) > 0, have.Foreign
	r.Claude = claudeStatus{program, version.String(), version.AtLeast(HookedProgram.HTTPSince)}
	known := HookedProgram.EventsOf(version)
	for _, ev := range HookedProgram.Events {
		row := eventStatus{Event: ev.Name, Known: slices.Contains(known, ev)}
		if i := slices.IndexFunc(have.Entries, func(e install.Entry) bool { return e.Event == ev.Name }); i >= 0 {
			row.Installed, row.Type, row.URL, row.Command = true, have.Entries[i].Type, have.Entries[i].URL, have.Entries[i].Command
		}
		r.Events = append(r.Events, row)
	}
	if r.Installed {
		r.findProblems(have, h)
	}
	report := agents.HookReport{JSON: r, Lines: r.lines(h), Problems: r.Problems}
	if version.Known() {
		report.Version = r.Claude.Version
	}
	return report, nil
}

// findProblems checks the installed hooks against the program and the office on this machine, and
// adds the problems to r.
func (r *hooksStatus) findProblems(have install.Settings, h agents.HookConfig) {
	say := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(r.Problems, text) {
			r.Problems = append(r.Problems, text)
		}
	}
	again := "run `" + h.InstallCommand("claude") + "` again"
	if have.Disabled {
		say("disableAllHooks is set in this file, so Claude Code runs no hooks; remove that setting")
	}
	for _, e := range r.Events {
		switch {
		case e.Known && !e.Installed:
			say("some events have no hook; %s", again)
		case !e.Known && e.Installed && r.Claude.Program != "":
			say("Claude Code %s does not support some of the installed hooks; %s", r.Claude.Version, again)
		}
	}
	for _, e := range have.Entries {
		switch {
		case e.URL != "" && !r.Claude.HTTPHooks && r.Claude.Program != "":
			say("Claude Code %s does not support HTTP hooks and may ignore the whole file; %s", r.Claude.Version, again)
		case e.URL != "" && r.Answers && otherOffice(e, r.Office, "") != "":
			say("HTTP hooks report to %s, but the office is at %s; %s", agents.WithoutSecrets(e.URL), r.Office, again)
		case e.URL != "" && have.AllowedURLs != nil && !slices.ContainsFunc(have.AllowedURLs, func(p string) bool { return matchesURL(p, e.URL) }):
			say("allowedHttpHookUrls in this file does not allow %s; add it there", agents.WithoutSecrets(e.URL))
		case e.Command != "" && otherOffice(e, r.Office, h.DataDirFlag) != "":
			say("hooks report to %s, not to the office with data directory %s; %s", otherOffice(e, r.Office, h.DataDirFlag), h.DataDir, again)
		case e.Command != "" && !commandExists(e.Command):
			say("the hook command no longer exists: %s; %s", e.Command, again)
		}
	}
}

// matchesURL reports whether url matches a pattern in which * matches anything, including slashes.
func matchesURL(pattern, url string) bool {
	flat := strings.NewReplacer("/", "\x00")
	ok, err := path.Match(flat.Replace(pattern), flat.Replace(url))
	return err == nil && ok
}

// commandExists reports whether a hook command's program exists. It returns true for commands that
// were changed by hand.
func commandExists(command string) bool {
	program, ok := install.CommandProgram(command)
	if !ok {
		return true
	}
	_, err := os.Stat(program)
	return err == nil
}

func (r *hooksStatus) lines(h agents.HookConfig) []string {
	state := "not installed; run `" + h.InstallCommand("claude") + "`"
	if r.Installed {
		state = "installed"
	}
	lines := []string{fmt.Sprintf("hooks     %s (%s)", state, r.Path)}
	switch {
	case r.Claude.Program == "":
		lines = append(lines, "claude    not found; use --claude PATH")
	case r.Claude.HTTPHooks:
		lines = append(lines, fmt.Sprintf("claude    version %s, supports HTTP hooks", r.Claude.Version))
	default:
		lines = append(lines, fmt.Sprintf("claude    version %s, no HTTP hooks", r.Claude.Version))
	}
	if r.Answers {
		lines = append(lines, fmt.Sprintf("office    running at %s", r.Office))
	} else {
		lines = append(lines, "office    not running; hook events are stored on disk until it starts")
	}
	for _, e := range r.Events {
		if e.Installed {
			lines = append(lines, fmt.Sprintf("  %-18s %-7s %s", e.Event, e.Type, cmp.Or(e.URL, e.Command)))
		} else if r.Installed {
			lines = append(lines, fmt.Sprintf("  %-18s -", e.Event))
		}
	}
	for _, p := range r.Problems {
		lines = append(lines, "problem   "+p)
	}
	return lines
}
