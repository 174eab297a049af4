// Package rehearsal is the built-in crew: eight people who plan, ask, write,
// revise and chat without any model, on the real office and the real ledger.
//
// It is honest: it shows only tools that it really uses, every artifact says that
// it was written without a model, and what needs research is left open and marked.
// It is deterministic: the same job gives the same bytes and the same order of
// events; pace changes only how long the pauses last. It keeps nothing between
// calls, and it never touches the network, the disk or a clock of its own.
package rehearsal

import (
	"context"
	"fmt"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
)

// limitSiblings is how many of the colleagues' artifacts a worker reads.
const limitSiblings = 8

// Config says how fast the crew works.
type Config struct {
	Pace  float64                                    // times faster than natural; 1 when zero or less
	Sleep func(context.Context, time.Duration) error // a timer that ends with the context
}

// Runner is the rehearsal crew's way of working.
type Runner struct{ cfg Config }

// New makes the runner.
func New(cfg Config) *Runner {
	if cfg.Pace <= 0 {
		cfg.Pace = 1
	}
	if cfg.Sleep == nil {
		cfg.Sleep = sleep
	}
	return &Runner{cfg}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Plan reads the request and proposes tasks by its own words.
func (r *Runner) Plan(ctx context.Context, job crew.PlanJob, sink crew.Sink) (crew.Plan, error) {
	s := r.stage(ctx, sink)
	b := newBrief(job.Project)
	s.read(requestPath(job.Project), b.text)
	s.think(fmt.Sprintf("The request is about %s. ", definite(b.subject)))
	p := plan(job.Project)
	for _, t := range p.Tasks {
		s.write("token", fmt.Sprintf("%d. %s\n", t.Priority, t.Title))
	}
	return p, s.err
}

// Work asks the one question of its project, or writes the deliverable.
func (r *Runner) Work(ctx context.Context, job crew.TaskJob, sink crew.Sink) (crew.Result, error) {
	s := r.stage(ctx, sink)
	b := newBrief(job.Project)
	s.progress(5, "Reading the request")
	s.read(requestPath(job.Project), b.text)
	s.think(thought(b, job))
	if q, ok := questionOf(b, job); ok {
		s.progress(15, "Needs a decision: "+q.ask.Prompt)
		return crew.Result{Ask: &q.ask}, s.err
	}
	b.learn(job)
	previous, err := s.readArtifacts(job, job.Previous)
	if err != nil {
		return crew.Result{}, err // a next version without the earlier one would be a lie
	}
	// What a colleague's file cannot give is done without; the failed read is shown.
	siblings, _ := s.readArtifacts(job, job.Siblings[:min(len(job.Siblings), limitSiblings)])
	b.overhear(siblings)
	a := compose(b, job, siblings)
	if job.Instructions != "" || len(previous) > 0 {
		a = revise(b, job, a, previous)
	}
	s.perform(job, a)
	return crew.Result{Artifacts: []crew.Artifact{a}}, s.err
}

func thought(b brief, job crew.TaskJob) string {
	switch {
	case job.Instructions != "":
		return "Changes were asked for: " + job.Instructions + " "
	case len(job.Answers) > 0:
		return "The answer is " + answerText(job.Answers[len(job.Answers)-1]) + ". "
	}
	return fmt.Sprintf("This is a %s task about %s. ", kindName(job.Task.Kind), definite(b.subject))
}

func kindName(k contracts.TaskKind) string {
	if k == "" {
		return "general"
	}
	return string(k)
}

// Chat answers a message.
func (r *Runner) Chat(ctx context.Context, job crew.ChatJob, sink crew.Sink) (crew.Reply, error) {
	s := r.stage(ctx, sink)
	s.think("")
	reply := answer(job)
	s.write("token", reply.Text)
	return reply, s.err
}

var _ crew.Runner = (*Runner)(nil)
