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

// Driving is what drivers are made of.
type Driving struct {
	Options Options // as Settings.Resolve returned them
	Peers   Peers

	DataDir string // for the vendor's own files; empty keeps nothing
	Folder  string // that the office was started in
	Home    string // of the user; empty when there is none
	Version string // of Bullpen
	Pace    float64

	Profile func(agentID string) contracts.AgentProfile // who somebody of the office is
	Summary func() contracts.OfficeSummary              // of the office as of now
	Began   func(conversation string)                   // marks a conversation as the office's own, before it begins

	Getenv   func(string) string
	ReadFile staff.ReadFile
	Now      func() time.Time
	Log      *slog.Logger
	Metrics  prometheus.Registerer
}

// Peers are the programs that dial in to the bridge.
type Peers interface {
	// Peer reaches who dialled in for a conversation.
	Peer() drive.Driver
	// Await returns once somebody has dialled in for a session key.
	Await(ctx context.Context, sessionKey string) error
	// Exited says that the program of a session key has exited.
	Exited(sessionKey, program string)
}

// Hire makes the driver of a runner. It starts nothing.
type Hire func(name string, r staff.Runner) (drive.Driver, error)

// Kind is that of its runners; empty when nobody can be hired on it.
func (a Adapter) Kind() staff.Kind {
	if a.Runner == nil {
		return ""
	}
	return a.Runner.Kind
}

// Kinds are the kinds of runners that the vendors have.
func Kinds(list []Adapter) (specs []*staff.Spec) {
	for _, a := range list {
		if a.Runner != nil {
			specs = append(specs, a.Runner)
		}
	}
	return specs
}

// People are the built-in people: those of the first vendor that brings any.
func People(list []Adapter) []contracts.AgentProfile {
	for _, a := range list {
		if a.People != nil {
			return a.People()
		}
	}
	return nil
}

// PricesAsOf is the date of the oldest list of prices; empty when there is none.
func PricesAsOf(list []Adapter) (oldest string) {
	for _, spec := range Kinds(list) {
		if at := spec.Prices.AsOf; at != "" && (oldest == "" || at < oldest) {
			oldest = at
		}
	}
	return oldest
}
