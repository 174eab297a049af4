// Package rehearsal is the built-in crew: eight agents that plan, ask, write, revise and chat
// without a model, in the real office and with the real ledger.
//
// It never pretends to be a model. All of its text was written in advance: a request only
// selects one of a few scripts, and is repeated only as a quotation of the whole request. Work that
// needs no model is real: the crew reads the folder that the office was started in, and shows only
// tools that it really uses. Every page states that it is a rehearsal, and names the command that
// starts a real agent instead.
//
// It is deterministic: the same job and folder always produce the same bytes and the same order of
// events; the pace changes only the length of the pauses. It keeps no state between calls and never
// uses the network.
package rehearsal

import (
	"context"
	"time"

	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
)

// ConnectCommand starts the office with a real agent instead of this crew.
const ConnectCommand = "bullpen serve --crew claude"

// limitSiblings is the maximum number of colleagues' pages that a reviewer reads.
const limitSiblings = 8

// Config configures a Runner.
type Config struct {
	Pace   float64                                    // speed factor; default 1, real time
	Folder string                                     // the office's working directory; if empty, nothing is read
	Home   string                                     // home directory, which is never read
	Sleep  func(context.Context, time.Duration) error // default: a timer that stops early if the context is done

	Summary func() contracts.OfficeSummary // returns the office's current summary, for callers; default: empty
}

// Runner drives the rehearsal crew.
type Runner struct{ cfg Config }

// New returns a Runner with Config's defaults applied.
func New(cfg Config) *Runner {
	if cfg.Pace <= 0 {
		cfg.Pace = 1
	}
	if cfg.Sleep == nil {
		cfg.Sleep = backoff.Sleep
	}
	if cfg.Summary == nil {
		cfg.Summary = func() contracts.OfficeSummary { return contracts.OfficeSummary{} }
	}
	return &Runner{cfg}
}

// Plan returns the scripted plan that fits the request, and shows the titles of its tasks.
func (r *Runner) Plan(ctx context.Context, job crew.PlanJob, sink drive.Sink) (crew.Plan, error) {
	s := r.stage(ctx, sink)
	s.read(requestPath(job.Project), requestOf(job.Project))
	s.think("Choosing the tasks. ")
	p := plan(job.Project)
	for _, t := range p.Tasks {
		s.write("token", t.Title+"\n")
	}
	return p, s.err
}

// Work returns the project's only question if this task must ask it, or otherwise the task's page.
func (r *Runner) Work(ctx context.Context, job crew.TaskJob, sink drive.Sink) (crew.Result, error) {
	s := r.stage(ctx, sink)
	s.progress(5, "Reading the request")
	s.read(requestPath(job.Project), requestOf(job.Project))
	if asks(job) {
		s.think("This needs a decision. ")
		s.progress(15, "Needs a decision")
		return crew.Result{Ask: new(question)}, s.err
	}
	a, err := s.makePage(job)
	if err != nil {
		return crew.Result{}, err
	}
	s.present(job, a)
	return crew.Result{Artifacts: []crew.Artifact{a}}, s.err
}

// makePage returns the first version of a page, or the next version if there is a previous one.
func (s *stage) makePage(job crew.TaskJob) (crew.Artifact, error) {
	previous, err := s.readArtifacts(job, job.Previous)
	if err != nil {
		return crew.Artifact{}, err // without the previous version there is nothing to revise
	}
	if len(previous) > 0 {
		s.think("Going through the page with the change in mind. ")
		return s.revise(job, previous[len(previous)-1]), s.err
	}
	m := material{Job: job, Approach: approachOf(job)}
	switch job.Task.Kind {
	case contracts.KindReview:
		// Pages that cannot be read are left out; the failed call is shown.
		m.Siblings, _ = s.readArtifacts(job, job.Siblings[:min(len(job.Siblings), limitSiblings)])
	case contracts.KindResearch:
		m.Folder = s.survey(true)
	case contracts.KindPlan, contracts.KindCode:
		m.Folder = s.survey(false)
	}
	s.think("Writing the page. ")
	a := compose(m)
	if job.Instructions != "" { // the earlier version is gone
		version := max(job.Task.Attempt, 2) - 1
		a = s.revise(job, source{contracts.Artifact{Title: a.Title, Version: version}, a.Content})
	}
	return a, s.err
}

// Chat shows and returns the reply to a message.
func (r *Runner) Chat(ctx context.Context, job crew.ChatJob, sink drive.Sink) (crew.Reply, error) {
	s := r.stage(ctx, sink)
	s.think("")
	reply := answer(job)
	s.write("token", reply.Text)
	return reply, s.err
}

var _ drive.Driver = (*Runner)(nil)
