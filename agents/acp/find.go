package acp

import (
	"context"
	"os/exec"
	"strings"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// orderFirst is the Order of the first item. It places these items after those for Claude Code,
// Codex and models.
const orderFirst = 30

// find returns an item for each known program on this machine; if there is none, it returns one
// item that lists the known programs.
func find(ctx context.Context, m *agents.Machine) []agents.Item {
	ctx, cancel := context.WithTimeout(ctx, contracts.ConnectVersionTimeout)
	defer cancel()
	var items []agents.Item
	var names []string
	for i, p := range programs {
		names = append(names, p.label)
		path, err := exec.LookPath(p.command)
		if err != nil {
			continue
		}
		items = append(items, agents.Item{Order: orderFirst + i, ConnectItem: p.item(ctx, m, path)})
	}
	if len(items) > 0 {
		return items
	}
	return []agents.Item{{Order: orderFirst, ConnectItem: contracts.ConnectItem{
		ID: source, Group: contracts.ConnectDesks, Name: "Another agent at the desks", State: contracts.ConnectMissing,
		Saw:     "None of these is in PATH: " + strings.Join(names, ", ") + ".",
		Does:    "Run this to install " + programs[0].label + ", then check again. Any other program that speaks the Agent Client Protocol can be configured.",
		Command: programs[0].install,
	}}}
}

func (p program) item(ctx context.Context, m *agents.Machine, path string) contracts.ConnectItem {
	it := contracts.ConnectItem{ID: source + "_" + strings.ReplaceAll(p.name, "-", "_"), Group: contracts.ConnectDesks, Name: p.label + " at the desks", State: contracts.ConnectFound,
		Saw:     p.label + " is at " + m.Short(path) + ".",
		Does:    "Stop this office with Ctrl-C and restart it with this command. The crew then uses " + p.label + ".",
		Command: m.Command("serve", "--crew "+p.name)}
	if text, err := m.Version(ctx, path); err == nil {
		if version := hud.Line(firstLine(text), contracts.LimitName); version != "" {
			it.Saw = p.label + " (" + version + ") is at " + m.Short(path) + "."
		}
	}
	if m.Office.Crew == p.name {
		it.State, it.Saw = contracts.ConnectConnected, "The crew uses "+p.label+"."
	}
	return it
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
