package agents

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/staff"
)

// DriveConfig configures a vendor's drivers.
type DriveConfig struct {
	Options Options // as Settings.Resolve returned them
	Peers   Peers

	DataDir string // for the vendor's own files; if empty, nothing is stored
	Folder  string // the office's working directory
	Home    string // home directory; empty if there is none
	Version string // Bullpen's version
	Pace    float64

	Profile func(agentID string) contracts.AgentProfile // returns an agent's profile
	Summary func() contracts.OfficeSummary              // returns the office's current summary
	// Restricted reports whether a rule of the permission policy denies an agent's tool call or
	// requires permission for it.
	Restricted func(agentID string, p contracts.Permission) bool
	Began      func(conversation string) // marks a conversation as the office's own; called before the conversation's first prompt

	Getenv   func(string) string
	ReadFile staff.ReadFile
	Now      func() time.Time
	Log      *slog.Logger
	Metrics  prometheus.Registerer
}

// Peers are the programs connected to the bridge.
type Peers interface {
	// Peer returns the driver for connected programs.
	Peer() drive.Driver
	// Await returns nil once a program has connected with the given session key.
	Await(ctx context.Context, sessionKey string) error
	// Exited notifies the bridge that the program serving a session key has exited.
	Exited(sessionKey, program string)
}

// NewDriver creates a runner's driver. It starts nothing.
type NewDriver func(name string, r staff.Runner) (drive.Driver, error)

// Kind returns the kind of the adapter's runners; empty if the adapter has no runners.
func (a Adapter) Kind() staff.Kind {
	if a.Runner == nil {
		return ""
	}
	return a.Runner.Kind
}

// RunnerSpecs returns the runner specs of the adapters that have runners.
func RunnerSpecs(list []Adapter) (specs []*staff.Spec) {
	for _, a := range list {
		if a.Runner != nil {
			specs = append(specs, a.Runner)
		}
	}
	return specs
}

// People returns the built-in agents of the first adapter that has any.
func People(list []Adapter) []contracts.AgentProfile {
	for _, a := range list {
		if a.People != nil {
			return a.People()
		}
	}
	return nil
}

// PricesAsOf returns the date of the oldest price list, or "" if there is none.
func PricesAsOf(list []Adapter) (oldest string) {
	for _, spec := range RunnerSpecs(list) {
		if at := spec.Prices.AsOf; at != "" && (oldest == "" || at < oldest) {
			oldest = at
		}
	}
	return oldest
}
