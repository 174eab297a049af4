package codex

import (
	"context"
	"fmt"
	"os/exec"
	"slices"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/codex/translate"
	"github.com/bullpen-office/bullpen/agents/hook/install"
	"github.com/bullpen-office/bullpen/contracts"
)

const installCommand = "npm install -g @openai/codex"

// find returns two items: one for running the crew on Codex, and one for Codex in other terminals.
func find(_ context.Context, m *agents.Machine) []agents.Item {
	dir := dir.PathOn(m, translate.Source)
	path, _ := exec.LookPath("codex") // empty if it is not installed
	if dir == "" {
		return nil
	}
	const order = 12
	return []agents.Item{{Order: order, ConnectItem: crew(m, path)}, hooks.Sessions(m, install.Found{Path: path, InstallCommand: installCommand, Dir: dir, Order: order})}
}

// crew returns the item for running the crew on Codex. path is the executable, or empty if Codex is
// not installed.
func crew(m *agents.Machine, path string) contracts.ConnectItem {
	it := contracts.ConnectItem{ID: "codex_crew", Group: contracts.ConnectDesks, Name: "Codex at the desks", State: contracts.ConnectMissing, Command: installCommand,
		Saw: "Codex is not in PATH.", Does: "Run this to install Codex, then check again."}
	if path != "" {
		it.State, it.Command = contracts.ConnectFound, m.Command("serve", "--crew codex")
		it.Saw = fmt.Sprintf("Codex is at %s.", m.Short(path))
		it.Does = "Stop this office with Ctrl-C and restart it with this command. The crew then uses Codex in the folder where you run it."
	}
	if slices.Contains(m.Office.Kinds, translate.Source) {
		it.State, it.Saw = contracts.ConnectConnected, "The crew uses Codex."
	}
	return it
}
