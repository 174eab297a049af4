package opencode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/hook/install"
	"github.com/bullpen-office/bullpen/agents/opencode/translate"
	"github.com/bullpen-office/bullpen/contracts"
)

// find returns the item for connecting the OpenCode sessions in people's terminals.
func find(_ context.Context, m *agents.Machine) []agents.Item {
	dir := configDir(m.Getenv, m.Home)
	if dir == "" {
		return nil
	}
	path, _ := exec.LookPath(translate.Source) // empty if it is not installed
	p := place{Machine: m, path: path, file: pluginFile(dir)}
	return []agents.Item{{Order: 13, ConnectItem: p.item(), Install: p.install}}
}

// place describes the installation of OpenCode on this machine.
type place struct {
	*agents.Machine
	path string // the executable's path; empty if there is none
	file string // the plugin's path
}

func (p *place) command() []string { return hookCommand(p.Program, p.DataDir, "") }

func (p *place) item() contracts.ConnectItem {
	it := contracts.ConnectItem{ID: translate.Source, Group: contracts.ConnectGuests, Name: "OpenCode in your terminals", State: contracts.ConnectMissing, Command: "npm install -g opencode-ai",
		Saw: "OpenCode is not in PATH.", Does: "Run this to install OpenCode, then check again."}
	if p.path == "" {
		return it
	}
	it.State, it.Command = contracts.ConnectFound, p.Machine.Command("hooks install opencode", "")
	it.Saw = fmt.Sprintf("OpenCode is installed at %s, but has no plugin for this office.", p.Short(p.path))
	it.Does = "New sessions appear here once they start working, and you can answer their permission requests here."
	plan := &contracts.ConnectPlan{Path: p.Short(p.file), Lines: []string{"Writes the plugin.", "It runs: " + strings.Join(p.command(), " "), "Nothing else changes."}}
	switch text, err := own(p.file).Read(); {
	case err != nil:
		it.State, it.Saw = contracts.ConnectProblem, err.Error()
	case text == nil:
		it.Plan = plan
	case !bytes.Equal(text, plugin(p.command())):
		it.State, it.Saw, it.Plan = contracts.ConnectProblem, "The installed plugin is from another version of Bullpen or reports to another office.", plan
	default:
		it.State, it.Saw = contracts.ConnectConnected, "OpenCode reports here."
		it.Does, it.Command = "Run this to remove the plugin.", p.Machine.Command("hooks uninstall opencode", "")
	}
	return it
}

func (p *place) install(context.Context) error {
	_, err := own(p.file).Install(plugin(p.command()))
	if errors.Is(err, install.ErrForeign) || errors.Is(err, install.ErrBusy) {
		return &agents.ConflictError{Err: err}
	}
	return err
}
