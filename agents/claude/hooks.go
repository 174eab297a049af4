package claude

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/hook"
	"github.com/bullpen-office/bullpen/agents/hook/install"
)

// hooks installs hooks in Claude Code's settings file.
type hooks struct{ install.Place }

const settingsFile = "settings.json"

const hooksHelp = `Claude Code (claude): install adds one hook per event to Claude Code's settings
(~/.claude/settings.json or $CLAUDE_CONFIG_DIR/settings.json; with --project,
.claude/settings.local.json in that project) and leaves the rest of the file alone. The
original is saved as settings.json.bullpen-backup. --transport http avoids starting a
process per hook, but Claude Code prints an error for every hook while the office is
down, and blocks if the office hangs.`

func (hooks) Help() string { return hooksHelp }

// versionTimeout limits how long `claude --version` may take; the command loads the whole program
// first. If the version remains unknown, hooks for newer events are not installed.
const versionTimeout = time.Minute

// selected returns the path and version of the Claude Code executable: h.Program or, if that is
// empty, the one found on this machine. path is "" if none is found. If h.Program is not Claude
// Code, selected returns a usage error.
func selected(ctx context.Context, h agents.HookConfig) (path string, v install.Version, err error) {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	path, v = findProgram(ctx, h.Program, agents.Home(), agents.AskVersion)
	switch {
	case path != "" || h.Program == "":
		return path, v, nil
	case ctx.Err() != nil:
		return path, v, fmt.Errorf("ask %q for its version: %w", h.Program, ctx.Err())
	}
	return path, v, &agents.UsageError{Err: fmt.Errorf("%q is not Claude Code; use --claude with the path of its executable", h.Program)}
}

// plan returns the hooks to install on this machine.
func (hooks) plan(ctx context.Context, h agents.HookConfig) (install.Plan, error) {
	p := install.Plan{Program: &HookedProgram, Transport: install.Transport(h.Transport), URL: h.HTTPTarget, Token: h.Token, Command: HookedProgram.OfficeCommand(h.Self, h.DataDirFlag, h.TypedURL)}
	var err error
	if _, p.Version, err = selected(ctx, h); err != nil {
		return p, err
	}
	if p.Transport == install.TransportHTTP && !p.Version.AtLeast(HookedProgram.HTTPSince) {
		return p, fmt.Errorf("cannot install HTTP hooks: they need Claude Code %s or newer, and the installed version (%s) would ignore the whole settings file; use --transport command, or select another executable with --claude", HookedProgram.HTTPSince, p.Version)
	}
	return p, nil
}

func (s hooks) Install(ctx context.Context, h agents.HookConfig) (r agents.HookReport, err error) {
	plan, err := s.plan(ctx, h)
	if err != nil {
		return r, err
	}
	path, err := s.Path(h.Project)
	if err != nil {
		return r, err
	}
	done, err := HookedProgram.InstallFile(path, plan.Entries())
	return agents.HookReport{JSON: done, Lines: installedLines(plan, done)}, err
}

func (s hooks) Summary(office string) (h agents.HookSummary) {
	var err error
	if h.Path, err = s.Path(""); err != nil {
		return h
	}
	text, err := os.ReadFile(h.Path)
	if err != nil {
		return h
	}
	have, err := HookedProgram.Read(text)
	if err != nil {
		h.Problem = err.Error()
		return h
	}
	h.Installed, h.Events = len(have.Entries) > 0, len(have.Entries)
	if h.Installed && have.Disabled {
		h.Problem = "disableAllHooks is set in " + h.Path + "; remove that setting to run hooks"
	}
	for _, e := range have.Entries {
		if other, _ := otherAddress(e, office); other != "" && office != "" {
			h.OtherOffice = other
		}
	}
	return h
}

func installedLines(p install.Plan, done install.Change) []string {
	byHTTP, target := 0, ""
	for _, e := range done.Entries {
		if e.URL != "" {
			byHTTP, target = byHTTP+1, agents.WithoutSecrets(e.URL)
		}
	}
	verb := "installed"
	if !done.Changed {
		verb = "already installed:"
	}
	lines := []string{
		fmt.Sprintf("%s %d hooks in %s", verb, len(done.Entries), done.Path),
		fmt.Sprintf("  %d with a command  %s", len(done.Entries)-byHTTP, p.Command),
	}
	if byHTTP > 0 {
		lines = append(lines, fmt.Sprintf("  %d over HTTP       %s", byHTTP, target))
	}
	if done.Backup != "" {
		lines = append(lines, "original saved as "+done.Backup)
	}
	if !p.Version.Known() {
		lines = append(lines, "Claude Code was not found, so only the hooks that every version supports were installed; use --claude PATH to install the rest")
	}
	if p.Token {
		lines = append(lines, fmt.Sprintf("the office requires a token: create one with `bullpen token create --role agent`, and start Claude Code with %s set to that token", hook.TokenVariable))
	}
	return append(lines, "new sessions will appear in the office; run `bullpen hooks status claude` to check")
}
