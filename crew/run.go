package crew

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/turn"
)

// Reasons why a turn was stopped. They are not reported, because the work is over or will start
// again after a restart.
var (
	errUnlisted = errors.New("the office no longer lists this work")
	errShutdown = errors.New("the office is shutting down")
	errOver     = errors.New("the office no longer needs this work")
)

// run is one unit of work carried out by a worker.
type run struct {
	crew   *Crew
	work   contracts.Work
	name   string // the runner's name
	worker Worker
	caps   drive.Capabilities
	stream string
	log    *slog.Logger
	ctx    context.Context
	cancel context.CancelCauseFunc
	// recordCtx outlives ctx by contracts.RecordTimeout, so that the final fact is recorded even if
	// the turn was stopped.
	recordCtx context.Context
	release   context.CancelFunc
	progress  *progress
	worktree  *contracts.Worktree // the worktree of a task in a repository; nil for other work
}

func newRun(ctx context.Context, c *Crew, w contracts.Work, number uint64) *run {
	name := cmp.Or(w.Runner, c.Default)
	r := &run{crew: c, work: w, name: name, worker: c.Workers[name], stream: streamID(w, number)}
	r.caps = drive.CapabilitiesOf(r.worker.Driver)
	r.log = c.Logger.With("work", w.Key, "agent", w.AgentID, "runner", name)
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	r.recordCtx, r.release = turn.Outlive(r.ctx, contracts.RecordTimeout)
	r.progress = newProgress(r)
	return r
}

// streamID returns a stream id, such as stream_<run>_<number>, for a unit of work.
func streamID(w contracts.Work, number uint64) string {
	base := "turn"
	switch {
	case w.Task != nil && w.Task.RunID != "":
		base = w.Task.RunID
	case w.Task != nil:
		base = w.Task.Task.TaskID
	case w.Chat != nil:
		base = fmt.Sprintf("chat_%d", w.Chat.Seq)
	case w.Review != nil:
		base = "review_" + w.Review.Artifact.ArtifactID
	case w.Plan:
		base = "plan_" + w.Project.ProjectID
	}
	return fmt.Sprintf("%s_%s_%d", contracts.PrefixStream, strings.ToLower(base), number)
}

// do carries out the work and records the result.
func (r *run) do() {
	defer r.release()
	defer r.cancel(nil)
	switch {
	case r.work.Task != nil:
		r.doTask()
	case r.work.Chat != nil:
		r.doChat()
	case r.work.Review != nil:
		r.doReview()
	case r.work.Plan:
		r.doPlan()
	default:
		r.log.Error("work item has no task, review, chat or plan", "key", r.work.Key)
	}
}

// route returns the route to the run's worker.
func (r *run) route() *turn.Route {
	route := &turn.Route{AgentID: r.work.AgentID, Driver: r.worker.Driver, Runner: r.name, Acquire: r.worker.Acquire}
	if r.worktree != nil {
		route.Workspace = func(string) (root, dir string, err error) { return "", r.worktree.Dir, nil }
	} else if workspace := r.worker.Workspace; workspace != nil {
		route.Workspace = func(string) (root, dir string, err error) {
			if dir, err = workspace(r.work.AgentID); err != nil {
				err = fmt.Errorf("no workspace for %s: %w", r.agent(), err)
			}
			return "", dir, err
		}
	}
	return route
}

// request returns the turn request of the run. An agent usually has one conversation with one turn
// at a time. Agents that accept work items remember nothing from one item to the next, so each work
// item has its own conversation, and several can run at the same time. Work items with a worktree
// also have their own conversations, because a program keeps its working directory.
func (r *run) request(label string) turn.Request {
	w := r.work
	q := turn.Request{
		Key:    turn.Key{Agent: w.AgentID, Chat: turn.CrewChat, Internal: true},
		Prompt: drive.Prompt{Text: label, TS: r.crew.Now().UnixMilli()},
		Origin: w.Key, Project: w.Project.ProjectID, Label: label, Stream: r.stream, Session: w.Session, Route: r.route(),
		Rehearsal: r.caps.Scripted, Stall: r.crew.Stall, Explain: r.explain, Progress: r.progress.report,
	}
	if r.caps.Work || r.worktree != nil {
		q.Key.Chat, q.Temporary = w.Key, true
	}
	if w.Task != nil {
		q.TaskID = w.Task.Task.TaskID
	}
	if w.Chat != nil {
		q.Said = w.Chat.Chat.Text
	}
	return q
}

// agent returns the agent's display name.
func (r *run) agent() string { return r.crew.Profile(r.work.AgentID).Name }

// explain converts a turn's error to one that explains what happened and what to do.
func (r *run) explain(err error) error {
	switch {
	case errors.Is(err, drive.ErrMalformed):
		return r.invalidTwice(err)
	case errors.Is(err, drive.ErrUnreachable):
		return fmt.Errorf("%s (%s) is not connected: start its program, then try again (%w)", r.agent(), r.work.AgentID, err)
	case errors.Is(err, drive.ErrGone):
		return fmt.Errorf("%s's process exited before the work was done: %w; try again", r.agent(), err)
	}
	return err
}

// invalidTwice returns the error for a worker that returned an invalid answer twice. reason is the
// error for the second answer.
func (r *run) invalidTwice(reason error) error {
	return fmt.Errorf("%s returned an invalid answer twice: %w; try again or use another runner", r.agent(), reason)
}

// reportable reports whether the end of this turn is recorded. The end of a stopped turn is not
// recorded.
func (r *run) reportable(err error) bool {
	return err == nil || context.Cause(r.ctx) == nil && !errors.Is(err, turn.ErrStopped) && !errors.Is(err, turn.ErrClosing)
}

// recordFinal records the final fact of a turn, even after the turn was stopped. If the office
// refuses the fact, recordFinal records otherwise(reason), so that the work is not retried forever.
// Once the work is over, the office refuses both.
func (r *run) recordFinal(f contracts.Fact, otherwise func(reason string) contracts.Fact) {
	if refusal := r.record(r.recordCtx, f); refusal != nil {
		r.record(r.recordCtx, otherwise("the office refused the result: "+refusal.Message))
	}
}

// record retries until the fact is recorded or refused, or ctx is done. It returns the refusal, or
// nil.
func (r *run) record(ctx context.Context, f contracts.Fact) *contracts.Refusal {
	err := turn.RetryUntilRefused(ctx, r.log, fmt.Sprintf("%T", f), func(ctx context.Context) error { return r.tryRecord(ctx, f) })
	refusal := turn.Refused(err)
	if err != nil && refusal == nil {
		r.log.Warn("fact not recorded before the turn was stopped", "fact", fmt.Sprintf("%T", f), "error", err)
	}
	return refusal
}

// tryRecord records a fact without retries. A refusal means that the work is over: tryRecord
// stops the turn and returns the refusal as the error.
func (r *run) tryRecord(ctx context.Context, f contracts.Fact) error {
	err := r.crew.Office.Record(ctx, f)
	if refusal := turn.Refused(err); refusal != nil {
		r.log.Debug("fact refused; ending the turn", "fact", fmt.Sprintf("%T", f), "reason", refusal.Message)
		r.cancel(errOver)
	}
	return err
}
