// Package openai has a model do the crew's work, behind any endpoint that speaks
// OpenAI's chat completions.
//
// It guarantees: a model is told the task and a short summary, never the office;
// what it answers becomes a plan, a result or a reply only when it is whole and
// valid, and is asked for once more with the reason when it is not; a call that
// fails, stalls or is limited is repeated a bounded number of times; an endpoint
// that keeps failing is left alone for a while; what was used is reported also
// when the turn breaks; nothing is said about a price that nobody named. It keeps
// nothing between calls but what it learnt about the endpoint.
package openai

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
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
	if cfg.Name == "" {
		cfg.Name = string(staff.OpenAI)
	}
	if cfg.Endpoints == nil {
		cfg.Endpoints = NewEndpoints(nil)
	}
	if cfg.Profile == nil {
		cfg.Profile = func(id string) contracts.AgentProfile { return contracts.AgentProfile{AgentID: id, Name: id} }
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
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
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

// Plan has the model break a request into tasks.
func (r *Runner) Plan(ctx context.Context, job crew.PlanJob, sink crew.Sink) (crew.Plan, error) {
	c := r.converse(sink, planShape())
	c.tell(r.planPrompt(job))
	return answered(ctx, c, readPlan)
}

// Work has the model carry out a task, or ask.
func (r *Runner) Work(ctx context.Context, job crew.TaskJob, sink crew.Sink) (crew.Result, error) {
	sink.Progress(5, "Reading the task")
	prompt, err := r.taskPrompt(ctx, job, sink)
	if err != nil {
		return crew.Result{}, err // a next version without the earlier one would be a lie
	}
	c := r.converse(sink, workShape())
	if job.Task.Kind == contracts.KindCode {
		c.kind = "code"
	}
	c.tell(r.persona(job.AgentID), prompt)
	return answered(ctx, c, func(text string) (crew.Result, error) { return readResult(text, job) })
}

// Chat has the model answer a message.
func (r *Runner) Chat(ctx context.Context, job crew.ChatJob, sink crew.Sink) (crew.Reply, error) {
	if job.Caller != nil {
		return r.talk(ctx, job, sink)
	}
	c := r.converse(sink, chatShape)
	c.tell(r.chatPrompt(job))
	return answered(ctx, c, func(text string) (crew.Reply, error) { return readReply(text, job) })
}

// answered asks, and asks once more when the answer cannot be used.
func answered[T any](ctx context.Context, c *conversation, read func(text string) (T, error)) (T, error) {
	var none T
	text, err := c.ask(ctx)
	if fatal(err) {
		return none, err
	}
	value, bad := none, err
	if bad == nil {
		value, bad = read(text)
	}
	if bad == nil {
		return value, nil
	}
	c.runner.cfg.Log.Info("an answer cannot be used and is asked for again", "reason", bad)
	c.repair(text, bad)
	if text, err = c.ask(ctx); fatal(err) {
		return none, err
	}
	if bad = err; bad == nil {
		value, bad = read(text)
	}
	if bad != nil {
		return none, fmt.Errorf("the model %s answered twice with something that cannot be used: %w; try again, or give the work to another runner", c.runner.cfg.Runner.Model, bad)
	}
	return value, nil
}

var _ crew.Runner = (*Runner)(nil)
