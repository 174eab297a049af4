// Package agents defines Adapter, which describes one vendor to the office. Each vendor has one
// folder here and one line in agents/all.
//
// Adapters do not import office, hub or server. Instead, they use the interfaces Office and Roster,
// which can also be called remotely.
package agents

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/staff"
)

// Adapter describes a vendor. A nil function means that the vendor lacks a feature: without Drive,
// the crew cannot use the vendor; without Watch, the vendor's sessions are not seen.
type Adapter struct {
	contracts.Source

	// Runner describes the vendor's runners. Set it together with Drive.
	Runner *staff.Spec
	// Drive returns the function that creates drivers. Drive itself is called only once per office,
	// so the drivers can share state through the closure.
	Drive func(DriveConfig) NewDriver
	// People returns the vendor's built-in agents. The office uses only the first adapter that sets
	// People.
	People func() []contracts.AgentProfile
	// Settings are the vendor's settings; nil means none.
	Settings *Settings
	// Watch returns a watcher for an office. The watcher must not start work before Run, but its
	// HTTP handlers (Doors) may be called as soon as Watch returns.
	Watch func(WatchConfig) (Watcher, error)
	// IsAgentProcess reports whether the process is one of the vendor's agents, is still running, and is
	// owned by the office's user. nil means that the vendor's processes cannot be recognized.
	IsAgentProcess func(pid int, started int64) bool

	// Check checks one of the vendor's runners, for `bullpen doctor`.
	Check func(context.Context, CheckConfig) []Finding
	// Hooks installs hooks in the vendor's settings, for `bullpen hooks`.
	Hooks Hooks
	// Support is the adapter's row in the README; nil only for an adapter for scripted agents.
	Support *Support
	// Find lists the items on this machine that can be connected, for `bullpen connect`. It changes
	// nothing and contacts only addresses on this machine.
	Find func(context.Context, *Machine) []Item
}

// WatchConfig configures a watcher.
type WatchConfig struct {
	Office  Office
	Roster  Roster
	Options Options // as Settings.Resolve returned them

	DataDir string // for the vendor's own files; if empty, nothing is stored
	Durable bool   // if false, the ledger is in memory, and files spooled for a durable office must not be consumed
	Home    string // home directory, shown as ~; empty if there is none
	Version string // Bullpen's version

	// Ours reports whether the office itself runs a conversation. Such conversations must not
	// appear as guests.
	Ours func(conversation string) bool
	// Principal returns the principal that sent a request.
	Principal func(*http.Request) contracts.Principal
	// Price estimates the cost of usage that was reported without a cost; false if the price is
	// unknown. The int64 is the number of CacheWrite tokens that are cached for an hour.
	Price func(contracts.Usage, int64) (float64, bool)

	KeepThinking bool // store agents' thinking text

	Now     func() time.Time
	Log     *slog.Logger
	Metrics prometheus.Registerer
}

// OpenWatchers creates the watchers of the listed vendors and returns them by source; some vendors
// have none. Each watcher receives cfg with its own Options and the user's home directory.
func OpenWatchers(list []Adapter, cfg WatchConfig, options map[string]Options) (map[string]Watcher, error) {
	cfg.Home, _ = os.UserHomeDir() // if the home directory is unknown, paths are not shortened
	watchers := map[string]Watcher{}
	for _, a := range list {
		if a.Watch == nil {
			continue
		}
		source := a.Source.Source
		cfg.Options = options[source]
		w, err := a.Watch(cfg)
		if err != nil {
			return nil, fmt.Errorf("watch %s: %w", a.Label, err)
		}
		watchers[source] = w
	}
	return watchers, nil
}

// ProcessMatcher returns a function that reports whether a live process is an agent of any listed
// vendor.
func ProcessMatcher(list []Adapter) func(pid int, started int64) bool {
	return func(pid int, started int64) bool {
		return slices.ContainsFunc(list, func(a Adapter) bool {
			return a.IsAgentProcess != nil && a.IsAgentProcess(pid, started)
		})
	}
}

// Sources returns the source of each adapter, in the same order.
func Sources(list []Adapter) (sources contracts.Sources) {
	for _, a := range list {
		sources = append(sources, a.Source)
	}
	return sources
}

// Watched returns the source names of the adapters that have a watcher.
func Watched(list []Adapter) (sources []string) {
	for _, a := range list {
		if a.Watch != nil {
			sources = append(sources, a.Source.Source)
		}
	}
	return sources
}
