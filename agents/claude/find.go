package claude

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

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/claude/translate"
	"github.com/bullpen-office/bullpen/agents/hook"
	"github.com/bullpen-office/bullpen/agents/hook/install"
	"github.com/bullpen-office/bullpen/contracts"
)

// findProgram finds Claude Code and its version. If program is set, it is the only candidate; path
// is "" if Claude Code was not found.
func findProgram(ctx context.Context, program, home string, version func(context.Context, string) (string, error)) (path string, v install.Version) {
	list := []string{program}
	if program == "" {
		list = candidates(home)
	}
	for _, c := range list {
		found, err := exec.LookPath(c)
		if err != nil {
			continue
		}
		text, err := version(ctx, found)
		if err != nil {
			continue
		}
		if v, err := install.ParseVersion(text); err == nil {
			return found, v
		}
	}
	return "", install.Version{}
}

const installCommand = "npm install -g @anthropic-ai/claude-code"

// installation describes the installation of Claude Code on this machine.
type installation struct {
	*agents.Machine
	path     string // the executable's path; empty if there is none
	version  install.Version
	settings string // path of Claude Code's settings file
}

// find returns three items: Claude Code for the crew, its sessions in other terminals, and its
// channel to the office.
func find(ctx context.Context, m *agents.Machine) []agents.Item {
	ctx, cancel := context.WithTimeout(ctx, contracts.ConnectVersionTimeout)
	defer cancel()
	i := &installation{Machine: m}
	if dir := dir.PathOn(m, translate.Source); dir != "" {
		i.settings = filepath.Join(dir, settingsFile)
	}
	i.path, i.version = findProgram(ctx, "", m.Home, m.Version)
	return []agents.Item{
		{Order: 10, ConnectItem: i.crew()},
		{Order: 10, ConnectItem: i.sessions(), Install: i.install},
		{Order: 80, ConnectItem: i.channel()},
	}
}

// crew returns the item for running the crew on Claude Code.
func (i *installation) crew() contracts.ConnectItem {
	it := contracts.ConnectItem{ID: "claude_crew", Group: contracts.ConnectDesks, Name: "Claude Code at the desks", State: contracts.ConnectMissing, Command: installCommand,
		Saw: "Claude Code is not in PATH.", Does: "Run this to install Claude Code, then check again."}
	if i.path != "" {
		it.State, it.Command = contracts.ConnectFound, i.Command("serve", "--crew claude")
		it.Saw = fmt.Sprintf("Claude Code %s is at %s.", i.version, i.Short(i.path))
		it.Does = "Stop this office with Ctrl-C and restart it with this command. The crew then uses Claude Code in the folder where you run it."
	}
	if slices.Contains(i.Office.Kinds, translate.Source) {
		it.State, it.Saw = contracts.ConnectConnected, "The crew uses Claude Code."
	}
	return it
}

// channel returns the item for a Claude Code session that people can send messages to.
func (i *installation) channel() contracts.ConnectItem {
	return contracts.ConnectItem{ID: "mcp", Group: contracts.ConnectGuests, Name: "A Claude Code session you can talk to", State: contracts.ConnectReady,
		Saw:     "A Claude Code session with this MCP server can answer messages from the office.",
		Does:    "Replace TOKEN with the token from `" + i.Command("token create", "--role agent --agent agent_dev") + "`.",
		Command: "claude mcp add bullpen --env BULLPEN_TOKEN=TOKEN -- " + i.Command("mcp", "--session dev::desk")}
}

// plan returns the hooks for this office.
func (i *installation) plan() install.Plan {
	return install.Plan{Program: &HookedProgram, Version: i.version, Command: HookedProgram.OfficeCommand(i.Program, i.DataDir, "")}
}

// sessions returns the item for Claude Code sessions in other terminals; hooks make these sessions
// visible.
func (i *installation) sessions() contracts.ConnectItem {
	it := contracts.ConnectItem{ID: "claude", Group: contracts.ConnectGuests, Name: "Claude Code in your terminals", State: contracts.ConnectMissing, Command: installCommand,
		Saw: "Claude Code is not in PATH.", Does: "Run this to install Claude Code, then check again."}
	if i.path == "" {
		return it
	}
	it.State, it.Command = contracts.ConnectFound, i.Command("hooks install claude", "")
	it.Does = "New sessions appear here, and you can answer their permission requests here."
	entries := i.plan().Entries()
	it.Plan = i.changes(entries)
	text, err := os.ReadFile(i.settings)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		it.State, it.Saw, it.Plan = contracts.ConnectProblem, "Cannot read Claude Code's settings: "+err.Error(), nil
		return it
	}
	have, err := HookedProgram.Read(text)
	if err != nil {
		it.State, it.Saw, it.Plan = contracts.ConnectProblem, i.Short(i.settings)+": "+err.Error(), nil
		return it
	}
	i.setState(&it, have, entries)
	return it
}

// setState compares the installed hooks with the expected ones and sets the item's state
// accordingly.
func (i *installation) setState(it *contracts.ConnectItem, have install.Settings, want []install.Entry) {
	other := ""
	for _, e := range have.Entries {
		other = cmp.Or(other, otherOffice(e, i.Office.URL, i.DataDir))
	}
	seen := i.Office.Guests[translate.Source]
	switch {
	case len(have.Entries) == 0:
		it.Saw = fmt.Sprintf("Claude Code %s has no hooks for this office.", i.version)
		if seen > 0 {
			it.Saw = fmt.Sprintf("Claude Code %s has no hooks for this office; %s, through transcripts only.", i.version, sessionsSeen(seen))
		}
	case have.Disabled:
		it.State, it.Saw, it.Plan = contracts.ConnectProblem, "disableAllHooks is set in "+i.Short(i.settings)+", so Claude Code runs no hooks. Remove that setting.", nil
	case other != "":
		it.State, it.Saw = contracts.ConnectProblem, "Claude Code's hooks report to "+other+", not to this office."
	case len(have.Entries) < len(want):
		it.State, it.Saw = contracts.ConnectProblem, fmt.Sprintf("%d of %d hooks are installed.", len(have.Entries), len(want))
	default:
		it.State, it.Plan = contracts.ConnectConnected, nil
		it.Saw = fmt.Sprintf("Claude Code %s reports here; %s.", i.version, sessionsSeen(seen))
		it.Does, it.Command = "Run this to remove the hooks.", i.Command("hooks uninstall claude", "")
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

// otherAddress returns the address of another office that a hook reports to, or "" if there is
// none. named reports whether the hook names an office. If address is empty, HTTP hooks count as
// hooks of this office, and commands with --url count as hooks of another office.
func otherAddress(e install.Entry, address string) (other string, named bool) {
	at, ours := e.URL, address+hook.PathOf(translate.Source)
	if at == "" {
		at, ours = install.CommandArgument(e.Command, "--url"), address
	}
	if at == "" || at == ours || e.URL != "" && address == "" {
		return "", at != ""
	}
	return agents.WithoutSecrets(at), true
}

// otherOffice returns the name of another office that a hook reports to: its address or its data
// directory. It returns "" if the hook reports to the given office. An empty data means the default
// data directory.
func otherOffice(e install.Entry, address, data string) string {
	if other, named := otherAddress(e, address); named {
		return other
	}
	if other := install.CommandArgument(e.Command, "--data"); other != data {
		return "the office with data directory " + cmp.Or(other, "~/.bullpen")
	}
	return ""
}

// changes describes how installing the entries changes the settings file.
func (i *installation) changes(entries []install.Entry) *contracts.ConnectPlan {
	var names []string
	for _, e := range entries {
		names = append(names, e.Event)
	}
	lines := []string{fmt.Sprintf("Adds %d hooks: %s.", len(entries), strings.Join(names, ", "))}
	if len(entries) > 0 {
		lines = append(lines, "Each runs: "+entries[0].Command)
	}
	return &contracts.ConnectPlan{Path: i.Short(i.settings), Lines: append(lines,
		"Nothing else in the file changes. The original is saved as "+filepath.Base(i.settings)+install.BackupSuffix+".")}
}

// install writes the hooks to the settings file.
func (i *installation) install(context.Context) error {
	_, err := HookedProgram.InstallFile(i.settings, i.plan().Entries())
	var fault *install.Fault
	if errors.As(err, &fault) || errors.Is(err, install.ErrBusy) {
		return &agents.ConflictError{Err: err}
	}
	return err
}
