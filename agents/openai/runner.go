// Package openai lets a model do the crew's work, through any endpoint that supports OpenAI's chat
// completions API.
//
// It guarantees:
//   - A model receives the task and a short summary, never the whole office.
//   - It uses only the tools that its runner's mode and the permission policy allow (see
//     drive/toolset). If the endpoint does not accept tools, it works without them.
//   - A turn ends even if the model never stops calling tools.
//   - A call that fails, stalls or is rate limited is retried a bounded number of times. Calls to an
//     endpoint that keeps failing are suspended for a while.
//   - Usage is reported even if the turn fails. An unknown price stays unknown.
//
// A Runner keeps nothing between jobs except the state of its endpoint.
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

// Config configures a Runner. Runner and BaseURL are required.
type Config struct {
	Name    string // the runner's name in the configuration; default openai
	Runner  staff.Runner
	BaseURL string
	Key     string // default: no key is sent

	Endpoints *Endpoints                                  // shared by runners with the same address; default: not shared
	Profile   func(agentID string) contracts.AgentProfile // default: a profile with the id as the name
	Summary   func() contracts.OfficeSummary              // returns the office's current summary, for callers; default: empty
	// Restricted reports whether one of the office's rules restricts an agent's tool call. If it is
	// nil, every call needs permission.
	Restricted func(agentID string, p contracts.Permission) bool

	HTTP  *http.Client                               // default: a client without a timeout, because answers are streamed
	Now   func() time.Time                           // default time.Now
	Sleep func(context.Context, time.Duration) error // default: a timer that stops early if the context is done
	Rand  func() float64                             // returns a number from 0 to 1, for retry jitter; default random
	Log   *slog.Logger                               // default: no logging
}

// Runner drives agents with a model.
type Runner struct {
	cfg      Config
	endpoint *endpoint
}

// New returns a runner; nothing is sent before the first job.
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

// Close closes idle connections.
func (r *Runner) Close() error {
	r.cfg.HTTP.CloseIdleConnections()
	return nil
}

var _ drive.Driver = (*Runner)(nil)
