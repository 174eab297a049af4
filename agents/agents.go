// Package agents says what an adapter is: everything that the office knows of one
// vendor. A vendor is one folder here and one line in agents/all.
//
// No adapter imports office, hub or server: what it needs of them is in Office and
// Roster, and works from another machine too.
package agents

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/staff"
)

// Adapter describes a vendor. A function that is nil says that the vendor has no such
// thing: without Drive nobody can be hired on it, without Watch none of its agents come
// in by themselves.
type Adapter struct {
	contracts.Source

	// Runner describes the runners of the vendor; nil means that nobody can be hired on it.
	Runner *staff.Spec
	// Drive prepares the drivers of an office. What they share, its result holds.
	Drive func(Driving) Hire
	// People are those that the vendor brings along; nil brings nobody.
	People func() []contracts.AgentProfile
	// Settings are what operators can set for the vendor; nil means nothing.
	Settings *Settings
	// Watch makes the watcher of an office. It opens nothing before Run, except what
	// must be there for the doors.
	Watch func(Watching) (Watcher, error)
	// Proves reports whether a live process is an agent of the vendor, run by the user
	// who runs the office. nil means that no process proves an agent.
	Proves func(pid int, started int64) bool

	// Check examines a runner of this vendor, for `bullpen doctor`.
	Check func(context.Context, Checking) []Finding
	// Hooks installs hooks into the vendor's settings, for `bullpen hooks`.
	Hooks Hooks
	// Find looks for what of this vendor can be connected on this machine, for `bullpen
	// connect`. It changes nothing, and asks addresses of this machine only.
	Find func(context.Context, *Machine) []Item
}

// Watching is what a watcher is made of.
type Watching struct {
	Office  Office
	Roster  Roster
	Options Options // as Settings.Resolve returned them

	DataDir string // for the vendor's own files; empty keeps nothing
	Durable bool   // false: the office forgets, so leave what waits on disk to one that does not
	Home    string // directory of the user, shown as ~; empty when there is none
	Version string // of Bullpen

	Ours         func(conversation string) bool               // conversations that the office runs and shows itself
	Principal    func(*http.Request) contracts.Principal      // who a request comes from
	KeepThinking bool                                         // store what agents think, not only that they do
	Price        func(contracts.Usage, int64) (float64, bool) // of reports that name none, and how much was written to a cache for an hour

	Now     func() time.Time
	Log     *slog.Logger
	Metrics prometheus.Registerer
}

// Prove reports whether a live process is an agent of any of the vendors.
func Prove(list []Adapter) func(pid int, started int64) bool {
	return func(pid int, started int64) bool {
		return slices.ContainsFunc(list, func(a Adapter) bool { return a.Proves != nil && a.Proves(pid, started) })
	}
}

// Sources are what people see of the adapters.
func Sources(list []Adapter) (sources contracts.Sources) {
	for _, a := range list {
		sources = append(sources, a.Source)
	}
	return sources
}

// Watched are the sources of the adapters that watch.
func Watched(list []Adapter) (sources []string) {
	for _, a := range list {
		if a.Watch != nil {
			sources = append(sources, a.Source.Source)
		}
	}
	return sources
}
