// Package openai has a model do the crew's work, behind any endpoint that speaks
// OpenAI's chat completions.
//
// It guarantees: a model is told the task and a short summary, never the office;
// a call that
// fails, stalls or is limited is repeated a bounded number of times; an endpoint
// that keeps failing is left alone for a while; what was used is reported also
// when the turn breaks; nothing is said about a price that nobody named. It keeps
// nothing between calls but what it learnt about the endpoint.
package openai

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/staff"
)

// Config says which model works. Runner and BaseURL are needed; the rest has
// defaults.
type Config struct {
	Name    string // of the runner, as the configuration names it; default openai
	Runner  staff.Runner
	BaseURL string
	Key     string // default: none is sent

	Endpoints *Endpoints                                  // shared by runners on the same address; default: its own
	Profile   func(agentID string) contracts.AgentProfile // who somebody is; default: its id
	Summary   func() contracts.OfficeSummary              // of the office as of now, for callers; default: none

	HTTP  *http.Client                               // default: without a time limit, since answers stream
	Now   func() time.Time                           // default time.Now
	Sleep func(context.Context, time.Duration) error // default: a timer that ends with the context
	Rand  func() float64                             // 0 to 1, spreads repetitions; default random
	Log   *slog.Logger                               // default silent
}

// Runner works on a model.
type Runner struct {
	cfg      Config
	endpoint *endpoint
}

// New makes a runner; nothing is sent before the first job.
func New(cfg Config) *Runner {
	cfg.Name = cmp.Or(cfg.Name, kind)
	cfg.Endpoints = cmp.Or(cfg.Endpoints, NewEndpoints(nil))
	if cfg.Profile == nil {
		cfg.Profile = func(id string) contracts.AgentProfile { return contracts.AgentProfile{AgentID: id, Name: id} }
	}
	if cfg.Summary == nil {
		cfg.Summary = func() contracts.OfficeSummary { return contracts.OfficeSummary{} }
	}
	if cfg.HTTP == nil {
		cfg.HTTP = &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Sleep == nil {
		cfg.Sleep = backoff.Sleep
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	if cfg.Runner.Stall <= 0 {
		cfg.Runner.Stall = contracts.ModelStall
	}
	cfg.Log = cfg.Log.With("runner", cfg.Name, "model", cfg.Runner.Model)
	return &Runner{cfg: cfg, endpoint: cfg.Endpoints.at(cfg.BaseURL, cfg.Runner.Format)}
}

// Close lets go of connections that are kept for the next call.
func (r *Runner) Close() error {
	r.cfg.HTTP.CloseIdleConnections()
	return nil
}

var _ drive.Driver = (*Runner)(nil)
