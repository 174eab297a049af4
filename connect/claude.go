package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/agents/claude/hook"
	"github.com/bullpen-office/bullpen/agents/claude/install"
	"github.com/bullpen-office/bullpen/contracts"
)

// SettingsPath is the settings file of Claude Code; "" without a home directory.
func SettingsPath(getenv func(string) string, home string) string {
	if dir := getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return filepath.Join(dir, "settings.json")
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".claude", "settings.json")
}

// FindClaude looks for Claude Code and asks for its version. A program that is named
// is the only one that counts; path is "" when none was found.
func FindClaude(ctx context.Context, program, home string, patience time.Duration) (path string, v install.Version) {
	candidates := []string{program}
	if program == "" {
		candidates = []string{"claude"}
		if home != "" {
			candidates = append(candidates, filepath.Join(home, ".claude", "local", "claude"), filepath.Join(home, ".local", "bin", "claude"))
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, c := range candidates {
		found, err := exec.LookPath(c)
		if err != nil {
			continue
		}
		ask := exec.CommandContext(ctx, found, "--version")
		ask.WaitDelay = time.Second // for what it started and left behind
		out, err := ask.Output()
		if err != nil {
			continue
		}
		if v, err := install.ParseVersion(string(out)); err == nil {
			return found, v
		}
	}
	return "", install.Version{}
}

// claudeProgram is Claude Code as it was found.
type claudeProgram struct {
	path     string
	modified time.Time
	version  install.Version
}

// findClaude asks for the version only when the program changed.
func (f *Finder) findClaude(ctx context.Context) claudeProgram {
	if info, err := os.Stat(f.claude.path); f.claude.path != "" && err == nil && info.ModTime().Equal(f.claude.modified) {
		return f.claude
	}
	path, version := FindClaude(ctx, "", f.cfg.Home, contracts.ConnectVersion)
	found := claudeProgram{path: path, version: version}
	if info, err := os.Stat(path); err == nil {
		found.modified = info.ModTime()
	}
	return found
}

const getClaude = "npm install -g @anthropic-ai/claude-code"

// claudeCrew is Claude Code at the desks.
func (f *Finder) claudeCrew(here claudeProgram, office Office) contracts.ConnectItem {
	it := contracts.ConnectItem{ID: "claude_crew", Group: contracts.ConnectDesks, Name: "Claude Code at the desks", State: contracts.ConnectMissing, Command: getClaude,
		Saw: "Claude Code is not in PATH.", Does: "Installs Claude Code. Then check again."}
	if here.path != "" {
		it.State, it.Command = contracts.ConnectFound, f.bullpen("serve", "--crew claude")
		it.Saw = fmt.Sprintf("Claude Code %s is at %s.", here.version, f.short(here.path))
		it.Does = "Stop this office with Ctrl-C and restart it with this command: the crew then works with Claude Code, in the folder you start it in."
	}
	if slices.Contains(office.Kinds, "claude") {
		it.State, it.Saw = contracts.ConnectConnected, "The crew works with Claude Code."
	}
	return it
}

// plan is what the hooks of this office should be.
func (f *Finder) plan(version install.Version) install.Plan {
	var args []string
	if f.cfg.DataDir != "" {
		args = []string{"--data", f.cfg.DataDir}
	}
	return install.Plan{Version: version, Command: install.Command(f.cfg.Program, args...)}
}

// sessions are those of Claude Code in other terminals, which hooks make visible.
func (f *Finder) sessions(here claudeProgram, office Office) contracts.ConnectItem {
	it := contracts.ConnectItem{ID: "claude", Group: contracts.ConnectGuests, Name: "Claude Code in your terminals", State: contracts.ConnectMissing, Command: getClaude,
		Saw: "Claude Code is not in PATH.", Does: "Installs Claude Code. Then check again."}
	if here.path == "" {
		return it
	}
	it.State, it.Command = contracts.ConnectFound, f.bullpen("hooks install claude", "")
	it.Does = "Every session that starts from then on appears here, and its permissions can be answered here."
	entries := f.plan(here.version).Entries()
	it.Plan = f.changes(entries)
	text, err := os.ReadFile(f.cfg.Settings)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		it.State, it.Saw, it.Plan = contracts.ConnectProblem, "Its settings cannot be read: "+err.Error(), nil
		return it
	}
	have, err := install.Read(text)
	if err != nil {
		it.State, it.Saw, it.Plan = contracts.ConnectProblem, f.short(f.cfg.Settings)+": "+err.Error(), nil
		return it
	}
	f.judge(&it, have, entries, here.version, office)
	return it
}

// judge compares the hooks that are installed with those that belong there.
func (f *Finder) judge(it *contracts.ConnectItem, have install.Settings, want []install.Entry, version install.Version, office Office) {
	elsewhere := ""
	for _, e := range have.Entries {
		elsewhere = cmp.Or(elsewhere, Elsewhere(e, office.URL, f.cfg.DataDir))
	}
	seen := office.Guests[contracts.SourceClaude]
	switch {
	case len(have.Entries) == 0:
		it.Saw = fmt.Sprintf("Claude Code %s, without hooks for this office.", version)
		if seen > 0 {
			it.Saw = fmt.Sprintf("Claude Code %s, without hooks: %s through transcripts only.", version, sessionsSeen(seen))
		}
	case have.Disabled:
		it.State, it.Saw, it.Plan = contracts.ConnectProblem, "disableAllHooks is set in "+f.short(f.cfg.Settings)+", so Claude Code runs no hooks. Remove it there.", nil
	case elsewhere != "":
		it.State, it.Saw = contracts.ConnectProblem, "Its hooks go to "+elsewhere+", not to this office."
	case len(have.Entries) < len(want):
		it.State, it.Saw = contracts.ConnectProblem, fmt.Sprintf("%d of %d hooks are installed.", len(have.Entries), len(want))
	default:
		it.State, it.Plan = contracts.ConnectConnected, nil
		it.Saw = fmt.Sprintf("Claude Code %s reports here; %s.", version, sessionsSeen(seen))
		it.Does, it.Command = "Removes the hooks.", f.bullpen("hooks uninstall claude", "")
	}
}

func sessionsSeen(n int) string {
	switch n {
	case 0:
		return "no sessions seen yet"
	case 1:
		return "1 session seen"
	}
	return fmt.Sprintf("%d sessions seen", n)
}

// Elsewhere names the other office that a hook reports to, by its address or its data
// directory; "" when it reports to the office at address with the data directory, of
// which "" is the default one. An address that is not known is not compared.
func Elsewhere(e install.Entry, address, data string) string {
	if e.URL != "" {
		if address != "" && e.URL != address+hook.Path {
			return withoutSecrets(e.URL)
		}
		return ""
	}
	if at := install.CommandArgument(e.Command, "--url"); at != "" {
		if at != address {
			return withoutSecrets(at)
		}
		return ""
	}
	if other := install.CommandArgument(e.Command, "--data"); other != data {
		return "the office of " + cmp.Or(other, "~/.bullpen")
	}
	return ""
}

// changes says what installing the entries does to the settings file.
func (f *Finder) changes(entries []install.Entry) *contracts.ConnectPlan {
	var names []string
	for _, e := range entries {
		names = append(names, e.Event)
	}
	lines := []string{fmt.Sprintf("Adds %d hooks: %s.", len(entries), strings.Join(names, ", "))}
	if len(entries) > 0 {
		lines = append(lines, "Each runs: "+entries[0].Command)
	}
	return &contracts.ConnectPlan{Path: f.short(f.cfg.Settings), Lines: append(lines,
		"Nothing else in the file changes. The original is kept as "+filepath.Base(f.cfg.Settings)+install.BackupSuffix+".")}
}

// ErrNothingToDo says that an item cannot be connected by the office itself now.
var ErrNothingToDo = errors.New("the office cannot do this itself: run the command")

// Install carries the plan of an item out and returns what is there then.
func (f *Finder) Install(ctx context.Context, id string) (contracts.ConnectReport, error) {
	report := f.Look(ctx)
	i := slices.IndexFunc(report.Items, func(it contracts.ConnectItem) bool { return it.ID == id })
	if i < 0 || report.Items[i].Plan == nil {
		return report, ErrNothingToDo
	}
	f.mu.Lock()
	_, err := install.InstallFile(f.cfg.Settings, f.plan(f.claude.version).Entries())
	f.forget()
	f.mu.Unlock()
	if err != nil {
		return report, err
	}
	return f.Look(ctx), nil
}
