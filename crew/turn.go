package crew

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/bullpen-office/bullpen/activity"
	"github.com/bullpen-office/bullpen/contracts"
)

// Why a turn was stopped. Only a stall and an empty budget are reported: in the
// other cases the work is over, or it is taken up again after the restart.
var (
	errUnlisted = errors.New("the work is no longer wanted")
	errShutdown = errors.New("the office is closing")
	errOver     = errors.New("the office says that the work is over")
	errStalled  = errors.New("no progress")
)

// turn is one unit of work in the hands of a runner.
type turn struct {
	crew   *Crew
	work   contracts.Work
	name   string // of the runner
	runner Runner
	log    *slog.Logger
	ctx    context.Context
	cancel context.CancelCauseFunc
	// farewell lasts a little longer than ctx, for what must be said even though
	// the turn was stopped.
	farewell context.Context
	release  context.CancelFunc
	sink     *sink
	pulse    *pulse
}

func newTurn(ctx context.Context, c *Crew, w contracts.Work, number uint64) *turn {
	name := w.Runner
	if name == "" {
		name = c.Default
	}
	t := &turn{crew: c, work: w, name: name, runner: c.Runners[name]}
	t.log = c.Logger.With("work", w.Key, "agent", w.AgentID, "runner", name)
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	t.farewell, t.release = context.WithCancel(context.WithoutCancel(t.ctx))
	context.AfterFunc(t.ctx, func() {
		late := time.AfterFunc(contracts.RecordTimeout, t.release)
		context.AfterFunc(t.farewell, func() { late.Stop() })
	})
	t.pulse = newPulse(t)
	t.sink = newSink(t, number)
	return t
}

// run carries the turn from its first fact to its last.
func (t *turn) run() {
	defer t.release()
	defer t.cancel(nil)
	switch {
	case t.work.Task != nil:
		t.runTask()
	case t.work.Chat != nil:
		t.runChat()
	case t.work.Plan:
		t.runPlan()
	default:
		t.log.Error("work without a job; the office must say what to do", "key", t.work.Key)
	}
}

// perform has the runner do its part, watched by the pulse, between turn_start
// and turn_end. fn must not touch the turn.
func perform[T any](t *turn, label string, fn func(ctx context.Context) (T, error)) (T, error) {
	if err := t.affordable(); err != nil {
		var none T
		return none, err
	}
	t.sink.Begin(label)
	t.pulse.start()
	value, err := await(t, fn)
	t.pulse.stop()
	switch cause := context.Cause(t.ctx); {
	case err == nil:
	case errors.Is(cause, errStalled):
		err = fmt.Errorf("%w: the worker was stopped; run the task again", cause)
	case isBudget(cause):
		err = cause
	}
	return value, err
}

func isBudget(err error) bool {
	var over *overBudget
	return errors.As(err, &over)
}

type outcome[T any] struct {
	value T
	err   error
}

// await runs fn and gives it a grace time to return once the turn was stopped.
func await[T any](t *turn, fn func(ctx context.Context) (T, error)) (T, error) {
	done := make(chan outcome[T], 1)
	go func() {
		var o outcome[T]
		defer func() {
			if p := recover(); p != nil {
				t.log.Error("the worker crashed", "panic", p, "stack", string(debug.Stack()))
				o.err = fmt.Errorf("the worker crashed: %v; run the task again or give it to another agent", p)
			}
			done <- o
		}()
		if t.runner == nil {
			o.err = fmt.Errorf("there is no runner named %q; configure it or give the work to another agent", t.name)
			return
		}
		o.value, o.err = fn(t.ctx)
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-t.ctx.Done():
	}
	grace := time.NewTimer(t.crew.Grace)
	defer grace.Stop()
	select {
	case o := <-done:
		return o.value, o.err
	case <-grace.C:
		t.log.Error("the worker ignores that its turn was stopped; it is left behind", "grace", t.crew.Grace)
		var none T
		return none, context.Cause(t.ctx)
	}
}

// reportable says whether the end of this turn concerns the office.
func (t *turn) reportable(err error) bool {
	if err == nil {
		return true
	}
	cause := context.Cause(t.ctx)
	return cause == nil || errors.Is(cause, errStalled) || isBudget(cause)
}

// last records the final fact of a turn, also when the turn was stopped. A fact
// that is refused for another reason than the end of the work would leave the work
// listed and the turn repeated for ever; so otherwise says the failure instead,
// and when the work is over that is refused as well.
func (t *turn) last(f contracts.Fact, otherwise func(reason string) contracts.Fact) {
	if refusal := t.record(t.farewell, f); refusal != nil {
		t.record(t.farewell, otherwise("the office refused the result: "+refusal.Message))
	}
}

// record hands a fact to the office until it is taken or refused.
func (t *turn) record(ctx context.Context, f contracts.Fact) *contracts.Refusal {
	err := activity.Insist(ctx, t.log, fmt.Sprintf("%T", f), func(ctx context.Context) error { return t.offer(ctx, f) })
	refusal := activity.Refused(err)
	if err != nil && refusal == nil {
		t.log.Warn("a fact was not taken before the turn was stopped", "fact", fmt.Sprintf("%T", f), "error", err)
	}
	return refusal
}

// offer hands a fact to the office once. A refusal means that the work is over and
// stops the turn; it is nobody's mistake.
func (t *turn) offer(ctx context.Context, f contracts.Fact) error {
	err := t.crew.Office.Record(ctx, f)
	if refusal := activity.Refused(err); refusal != nil {
		t.log.Debug("a fact was refused; the turn ends", "fact", fmt.Sprintf("%T", f), "reason", refusal.Message)
		t.cancel(errOver)
	}
	return err
}
