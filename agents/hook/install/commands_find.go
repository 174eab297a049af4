package install

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
)

// Found describes an installation of a program on this machine.
type Found struct {
	Path           string // the executable; empty if the program is not installed
	InstallCommand string // the command that installs the program
	Dir            string // its settings directory
	Order          int    // position in `bullpen connect`
}

// Finder returns a function that looks for the vendor's program on this machine and returns the
// item for the program's sessions in people's terminals. programs lists the names that the program
// may have in PATH, and installCommand is the command that installs the program.
func (c Commands) Finder(installCommand string, order int, programs ...string) func(context.Context, *agents.Machine) []agents.Item {
	return func(_ context.Context, m *agents.Machine) []agents.Item {
		dir := c.Dir.PathOn(m, c.Program.Name)
		if dir == "" {
			return nil
		}
		f := Found{InstallCommand: installCommand, Dir: dir, Order: order}
		for _, name := range programs {
			if path, err := exec.LookPath(name); err == nil {
				f.Path = path
				break
			}
		}
		return []agents.Item{c.Sessions(m, f)}
	}
}

// Sessions returns the `bullpen connect` item for sessions in people's terminals. Hooks make these
// sessions visible.
func (c Commands) Sessions(m *agents.Machine, f Found) agents.Item {
	file := filepath.Join(f.Dir, c.File)
	want := c.entries(m.Program, m.DataDir, "")
	return agents.Item{Order: f.Order, ConnectItem: c.sessions(m, f, file, want), Install: func(context.Context) error {
		_, err := c.Program.InstallFile(file, want)
		var fault *Fault
		if errors.As(err, &fault) || errors.Is(err, ErrBusy) {
			return &agents.ConflictError{Err: err}
		}
		return err
	}}
}

func (c Commands) sessions(m *agents.Machine, f Found, file string, want []Entry) contracts.ConnectItem {
	it := contracts.ConnectItem{ID: c.Program.Name, Group: contracts.ConnectGuests, Name: c.Dir.Label + " in your terminals", State: contracts.ConnectMissing, Command: f.InstallCommand,
		Saw: c.Dir.Label + " is not in PATH.", Does: "Run this to install " + c.Dir.Label + ", then check again."}
	if f.Path == "" {
		return it
	}
	it.State, it.Command = contracts.ConnectFound, m.Command("hooks install "+c.Program.Name, "")
	it.Saw = fmt.Sprintf("%s is installed at %s, but has no hooks for this office.", c.Dir.Label, m.Short(f.Path))
	it.Does = "New sessions appear here once they start working."
	if c.Answers {
		it.Does = "New sessions appear here once they start working, and you can answer their permission requests here."
	}
	if c.Note != "" {
		it.Does += " " + c.Note + "."
	}
	have, err := c.readFile(file)
	switch list := have.Entries; {
	case err != nil:
		it.State, it.Saw = contracts.ConnectProblem, err.Error()
	case len(list) == 0:
		it.Plan = c.plan(m, file, want)
	case len(list) < len(want) || list[0].Command != want[0].Command:
		it.State, it.Saw, it.Plan = contracts.ConnectProblem, c.Dir.Label+"'s hooks are from another version or report to another office.", c.plan(m, file, want)
	default:
		it.State, it.Saw = contracts.ConnectConnected, c.Dir.Label+" reports here."
		if c.Note != "" {
			it.Saw += " " + c.Note + "."
		}
		it.Does, it.Command = "Run this to remove the hooks.", m.Command("hooks uninstall "+c.Program.Name, "")
	}
	return it
}

// plan describes how installing the hooks changes the file.
func (c Commands) plan(m *agents.Machine, file string, want []Entry) *contracts.ConnectPlan {
	var names []string
	for _, e := range want {
		names = append(names, e.Event)
	}
	return &contracts.ConnectPlan{Path: m.Short(file), Lines: []string{
		fmt.Sprintf("Adds %d hooks: %s.", len(want), strings.Join(names, ", ")),
		"Each runs: " + want[0].Command,
		"Nothing else in the file changes. The original is saved as " + c.File + BackupSuffix + ".",
	}}
}
