package codex

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/codex/translate"
	"github.com/bullpen-office/bullpen/agents/hook/install"
	"github.com/bullpen-office/bullpen/contracts"
)

const getCodex = "npm install -g @openai/codex"

// find returns two items: Codex as the crew, and Codex in other terminals.
func find(_ context.Context, m *agents.Machine) []agents.Item {
	dir := dir.On(m, translate.Source)
	path, _ := exec.LookPath("codex") // empty if it is not installed
	p := place{Machine: m, path: path, file: filepath.Join(dir, hooksFile)}
	if dir == "" {
		return nil
	}
	return []agents.Item{{Order: 12, ConnectItem: p.crew()}, {Order: 12, ConnectItem: p.sessions(), Install: p.install}}
}

// place describes the installation of Codex on this machine.
type place struct {
	*agents.Machine
	path string // the executable's path; empty if there is none
	file string // path of its hooks
}

func (p *place) entries() []install.Entry { return entries(p.Program, p.DataDir, "") }

// crew returns the item for running the crew on Codex.
func (p *place) crew() contracts.ConnectItem {
	it := contracts.ConnectItem{ID: "codex_crew", Group: contracts.ConnectDesks, Name: "Codex at the desks", State: contracts.ConnectMissing, Command: getCodex,
		Saw: "Codex is not in PATH.", Does: "Installs Codex. Then check again."}
	if p.path != "" {
		it.State, it.Command = contracts.ConnectFound, p.Command("serve", "--crew codex")
		it.Saw = fmt.Sprintf("Codex is at %s.", p.Short(p.path))
		it.Does = "Stop this office with Ctrl-C and restart it with this command. The crew then uses Codex in the folder where you run it."
	}
	if slices.Contains(p.Office.Kinds, translate.Source) {
		it.State, it.Saw = contracts.ConnectConnected, "The crew uses Codex."
	}
	return it
}

// sessions returns the item for Codex sessions in other terminals, which hooks make visible.
func (p *place) sessions() contracts.ConnectItem {
	it := contracts.ConnectItem{ID: "codex", Group: contracts.ConnectGuests, Name: "Codex in your terminals", State: contracts.ConnectMissing, Command: getCodex,
		Saw: "Codex is not in PATH.", Does: "Installs Codex. Then check again."}
	if p.path == "" {
		return it
	}
	it.State, it.Command = contracts.ConnectFound, p.Command("hooks install codex", "")
	it.Saw = fmt.Sprintf("Codex is at %s, without hooks for this office.", p.Short(p.path))
	it.Does = "New sessions appear here as they work, and you can answer their permission requests here. " + trust + "."
	have, err := read(p.file)
	switch want := p.entries(); {
	case err != nil:
		it.State, it.Saw = contracts.ConnectProblem, err.Error()
	case len(have) == 0:
		it.Plan = p.plan(want)
	case len(have) < len(want) || have[0].Command != want[0].Command:
		it.State, it.Saw, it.Plan = contracts.ConnectProblem, "Its hooks are from another version or report to another office.", p.plan(want)
	default:
		it.State, it.Saw = contracts.ConnectConnected, "Codex reports here once its hooks are reviewed."
		it.Does, it.Command = "Removes the hooks.", p.Command("hooks uninstall codex", "")
	}
	return it
}

// plan describes how installing the hooks changes the file.
func (p *place) plan(want []install.Entry) *contracts.ConnectPlan {
	var names []string
	for _, e := range want {
		names = append(names, e.Event)
	}
	return &contracts.ConnectPlan{Path: p.Short(p.file), Lines: []string{
		fmt.Sprintf("Adds %d hooks: %s.", len(want), strings.Join(names, ", ")),
		"Each runs: " + want[0].Command,
		"Nothing else in the file changes. The original is saved as " + hooksFile + install.BackupSuffix + ".",
	}}
}

func (p *place) install(context.Context) error {
	_, err := HookedProgram.InstallFile(p.file, p.entries())
	var fault *install.Fault
	if errors.As(err, &fault) || errors.Is(err, install.ErrBusy) {
		return &agents.ConflictError{Err: err}
	}
	return err
}
