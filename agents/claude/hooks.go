package claude

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/claude/hook"
	"github.com/bullpen-office/bullpen/agents/claude/install"
)

// hooks are those in Claude Code's settings file.
type hooks struct{}

const hooksHelp = `Claude Code (claude): install puts one hook for each event into Claude Code's settings
(~/.claude/settings.json, or that of CLAUDE_CONFIG_DIR; with --project the project's
.claude/settings.local.json) and changes nothing else in the file; the original is kept
next to it as settings.json.bullpen-backup. --transport http saves a process per hook, but
Claude Code then prints an error for every hook while no office is open, and waits for a
frozen one.`

func (hooks) Help() string { return hooksHelp }

// versionTimeout is how long Claude Code may take to say its version: it loads all of
// itself before, and a version that is not known gets no hooks for newer events.
const versionTimeout = time.Minute

// path is the settings file: that of the user, or of one project.
func (hooks) path(project string) (string, error) {
	if project != "" {
		dir, err := filepath.Abs(project)
		return filepath.Join(dir, ".claude", "settings.local.json"), err
	}
	path := settingsPath(os.Getenv, home())
	if path == "" {
		return "", &agents.UsageError{Err: fmt.Errorf("there is no home directory with Claude Code's settings: set CLAUDE_CONFIG_DIR, or give --project DIR")}
	}
	return path, nil
}

// home is the user's home directory; "" when there is none.
func home() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return dir
}

// hookCommand is the command that Claude Code runs for each hook.
func hookCommand(self, dataDir, url string) string {
	var args []string
	if dataDir != "" {
		args = []string{"--data", dataDir}
	}
	if url != "" {
		args = append(args, "--url", strings.TrimRight(url, "/"))
	}
	return install.Command(self, args...)
}

// plan decides what fits this machine.
func (hooks) plan(ctx context.Context, h agents.Hooking) (install.Plan, error) {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	p := install.Plan{Transport: install.Transport(h.Transport), URL: h.Address, Token: h.Token, Command: hookCommand(h.Self, h.DataDir, h.URL)}
	_, p.Version = findProgram(ctx, h.Program, home(), agents.AskVersion)
	if p.Transport == install.TransportHTTP && !p.Version.AtLeast(install.HTTPSince) {
		return p, fmt.Errorf("this Claude Code (version %s) has no HTTP hooks, and would ignore its whole settings file: they came with %s; use --transport command, or name its program with --claude", p.Version, install.HTTPSince)
	}
	return p, nil
}

func (s hooks) Install(ctx context.Context, h agents.Hooking) (r agents.HookReport, err error) {
	plan, err := s.plan(ctx, h)
	if err != nil {
		return r, err
	}
	path, err := s.path(h.Project)
	if err != nil {
		return r, err
	}
	done, err := install.InstallFile(path, plan.Entries())
	return agents.HookReport{JSON: done, Lines: installedLines(plan, done)}, err
}

func (s hooks) Remove(_ context.Context, h agents.Hooking) (r agents.HookReport, err error) {
	path, err := s.path(h.Project)
	if err != nil {
		return r, err
	}
	done, err := install.UninstallFile(path)
	return agents.HookReport{JSON: done, Lines: removedLines(done)}, err
}

func (s hooks) Summary(office string) (h agents.HookSummary) {
	var err error
	if h.Path, err = s.path(""); err != nil {
		return h
	}
	text, err := os.ReadFile(h.Path)
	if err != nil {
		return h
	}
	have, err := install.Read(text)
	if err != nil {
		h.Problem = err.Error()
		return h
	}
	h.Installed, h.Events = len(have.Entries) > 0, len(have.Entries)
	if h.Installed && have.Disabled {
		h.Problem = "disableAllHooks is set in " + h.Path
	}
	for _, e := range have.Entries {
		if office != "" && e.URL != "" && e.URL != office+hook.Path {
			h.Elsewhere = agents.WithoutSecrets(e.URL)
		}
	}
	return h
}

func removedLines(done install.Change) (lines []string) {
	switch {
	case !done.Changed:
		lines = append(lines, "there are no hooks of ours in "+done.Path)
	case done.Removed:
		lines = append(lines, fmt.Sprintf("removed %s: it held nothing but our hooks", done.Path))
	default:
		lines = append(lines, "took our hooks out of "+done.Path)
	}
	if done.Changed && done.Backup != "" {
		lines = append(lines, "others changed it since we came; the file as it was before is "+done.Backup)
	}
	return lines
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
		verb = "already there:"
	}
	lines := []string{
		fmt.Sprintf("%s %d hooks in %s", verb, len(done.Entries), done.Path),
		fmt.Sprintf("  %d by command  %s", len(done.Entries)-byHTTP, p.Command),
	}
	if byHTTP > 0 {
		lines = append(lines, fmt.Sprintf("  %d by HTTP     %s", byHTTP, target))
	}
	if done.Backup != "" {
		lines = append(lines, "the file as it was before is "+done.Backup)
	}
	if !p.Version.Known() {
		lines = append(lines, "Claude Code was not found, so only what its oldest versions know is installed; name its program with --claude to get all")
	}
	if p.Token {
		lines = append(lines, fmt.Sprintf("the office requires a token: create one with `bullpen token create --role agent`, and start Claude Code with it in %s", hook.TokenVariable))
	}
	return append(lines, "sessions that start from now on come to the office; `bullpen hooks status claude` says whether they can")
}
