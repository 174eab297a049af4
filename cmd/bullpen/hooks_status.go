package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/agents/claude/hook"
	"github.com/bullpen-office/bullpen/agents/claude/install"
	"github.com/bullpen-office/bullpen/connect"
	"github.com/bullpen-office/bullpen/instance"
	"github.com/bullpen-office/bullpen/server"
)

// hooksReport is what `bullpen hooks status claude --json` prints.
type hooksReport struct {
	Path      string        `json:"path"`
	Installed bool          `json:"installed"`
	Events    []eventStatus `json:"events"`
	Foreign   int           `json:"foreign"` // hooks of others in the file
	Claude    claudeStatus  `json:"claude"`
	Server    serverStatus  `json:"server"`
	Problems  []string      `json:"problems"`

	data, other string // the data directory of the office that they should go to; other is "" where it is the default one
}

type eventStatus struct {
	Event     string `json:"event"`
	Known     bool   `json:"known"` // to this version of Claude Code
	Installed bool   `json:"installed"`
	Type      string `json:"type,omitzero"`
	Target    string `json:"target,omitzero"` // address or command
}

type claudeStatus struct {
	Program   string `json:"program,omitzero"`
	Version   string `json:"version"`
	HTTPHooks bool   `json:"http_hooks"`
}

type serverStatus struct {
	URL     string `json:"url,omitzero"`
	Answers bool   `json:"answers"`
}

func newHooksStatus() *cobra.Command {
	c, f := hooksCommand("status", "Say whether Claude Code is connected, and to what", func(cmd *cobra.Command, f *hookFlags) error {
		r, err := f.examine(cmd.Context())
		if err != nil {
			return err
		}
		if f.asJSON {
			err = printJSON(cmd.OutOrStdout(), r)
		} else {
			r.print(cmd.OutOrStdout())
		}
		if err == nil && len(r.Problems) > 0 {
			return &exitError{code: exitProblems}
		}
		return err
	})
	f.registerClaude(c.Flags())
	return c
}

func (f *hookFlags) examine(ctx context.Context) (hooksReport, error) {
	r := hooksReport{Events: []eventStatus{}, Problems: []string{}}
	var err error
	r.other = f.settings.otherData()
	if r.data, err = filepath.Abs(f.settings.data); err != nil {
		return r, err
	}
	if r.Path, err = f.settingsPath(); err != nil {
		return r, err
	}
	text, err := os.ReadFile(r.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r, fmt.Errorf("read Claude Code's settings: %w", err)
	}
	s, err := install.Read(text)
	if err != nil {
		return r, fmt.Errorf("%s: %w", r.Path, err)
	}
	program, version := connect.FindClaude(ctx, f.claude, homeDir(), versionPatience)
	r.Installed, r.Foreign = len(s.Entries) > 0, s.Foreign
	r.Claude = claudeStatus{program, version.String(), version.AtLeast(install.HTTPSince)}
	r.Server = f.office(ctx)
	known := install.EventsOf(version)
	for _, ev := range install.Events {
		row := eventStatus{Event: ev.Name, Known: slices.Contains(known, ev)}
		if i := slices.IndexFunc(s.Entries, func(e install.Entry) bool { return e.Event == ev.Name }); i >= 0 {
			row.Installed, row.Type, row.Target = true, s.Entries[i].Type, cmp.Or(s.Entries[i].URL, s.Entries[i].Command)
		}
		r.Events = append(r.Events, row)
	}
	if r.Installed {
		r.findProblems(s)
	}
	return r, nil
}

// office asks whether the server of the data directory answers.
func (f *hookFlags) office(ctx context.Context) serverStatus {
	cl, err := newClient(f.settings, "")
	if err != nil {
		return serverStatus{}
	}
	var health server.Health
	_, err = cl.call(ctx, http.MethodGet, "/healthz", &health)
	return serverStatus{URL: cl.base, Answers: err == nil || hasCode(err, exitDenied)}
}

// findProblems compares what is installed with what there is.
func (r *hooksReport) findProblems(s install.Settings) {
	say := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(r.Problems, text) {
			r.Problems = append(r.Problems, text)
		}
	}
	const again = "run `bullpen hooks install claude` again"
	if s.Disabled {
		say("disableAllHooks is set in this file, so Claude Code runs no hooks")
	}
	for _, e := range r.Events {
		switch {
		case e.Known && !e.Installed:
			say("some events have no hook; %s", again)
		case !e.Known && e.Installed && r.Claude.Program != "":
			say("this version of Claude Code (%s) does not know all events; %s", r.Claude.Version, again)
		}
	}
	for _, e := range s.Entries {
		switch {
		case e.URL != "" && !r.Claude.HTTPHooks && r.Claude.Program != "":
			say("this version of Claude Code (%s) has no HTTP hooks and may ignore the whole file; %s", r.Claude.Version, again)
		case e.URL != "" && r.Server.Answers && connect.Elsewhere(e, r.Server.URL, "") != "":
			say("HTTP hooks go to %s, but the office is at %s; %s", e.URL, r.Server.URL, again)
		case e.URL != "" && s.AllowedURLs != nil && !slices.ContainsFunc(s.AllowedURLs, func(p string) bool { return matchesURL(p, e.URL) }):
			say("allowedHttpHookUrls in this file does not allow %s", e.URL)
		case e.Command != "" && connect.Elsewhere(e, r.Server.URL, r.other) != "":
			say("hooks go to %s, not to the office of %s; %s", connect.Elsewhere(e, r.Server.URL, r.other), r.data, again)
		case e.Command != "" && !commandExists(e.Command):
			say("the program of the hooks is not there any more: %s; %s", e.Command, again)
		}
	}
}

// straySettings says that Claude Code sends its HTTP hooks to another address than
// that of this office, which took another port perhaps.
func straySettings(in instance.Instance) string {
	path, err := (&hookFlags{}).settingsPath()
	if err != nil {
		return ""
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	s, err := install.Read(text)
	if err != nil {
		return ""
	}
	for _, e := range s.Entries {
		if e.URL != "" && e.URL != in.Local+hook.Path {
			return "Claude Code sends hooks to " + printable(e.URL) + "; run `bullpen hooks install claude` to bring them here"
		}
	}
	return ""
}

// matchesURL understands * as any text, also over slashes.
func matchesURL(pattern, url string) bool {
	flat := strings.NewReplacer("/", "\x00")
	ok, err := path.Match(flat.Replace(pattern), flat.Replace(url))
	return err == nil && ok
}

// commandExists looks for the program of a command that we wrote.
func commandExists(command string) bool {
	program, ok := install.CommandProgram(command)
	if !ok {
		return true // written by somebody else's hand
	}
	_, err := os.Stat(program)
	return err == nil
}

func (r hooksReport) print(w io.Writer) {
	state := "not installed; `bullpen hooks install claude` does it"
	if r.Installed {
		state = "installed"
	}
	fmt.Fprintf(w, "hooks     %s (%s)\n", state, r.Path)
	switch {
	case r.Claude.Program == "":
		fmt.Fprintln(w, "claude    not found; name its program with --claude")
	case r.Claude.HTTPHooks:
		fmt.Fprintf(w, "claude    version %s, with HTTP hooks\n", r.Claude.Version)
	default:
		fmt.Fprintf(w, "claude    version %s, without HTTP hooks\n", r.Claude.Version)
	}
	if r.Server.Answers {
		fmt.Fprintf(w, "office    %s answers\n", r.Server.URL)
	} else {
		fmt.Fprintln(w, "office    none answers; what commands report waits on disk")
	}
	for _, e := range r.Events {
		if e.Installed {
			fmt.Fprintf(w, "  %-18s %-7s %s\n", e.Event, e.Type, printable(e.Target))
		} else if r.Installed {
			fmt.Fprintf(w, "  %-18s -\n", e.Event)
		}
	}
	for _, p := range r.Problems {
		fmt.Fprintf(w, "WRONG     %s\n", p)
	}
}
