package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/intake"
)

// ErrMalformed marks a hook that can never be decoded.
var ErrMalformed = errors.New("malformed hook")

// recordWait is how long the response to a hook waits for the hook to be recorded. The rest of
// HookAnswer is for sending the response, which can be slow on a busy machine.
const recordWait = contracts.HookAnswer / 2

// ServeHook handles POST /hooks/SOURCE. An empty response means "no opinion": the program continues
// normally. Only a permission request waits for a person.
func (w *Watcher) ServeHook(rw http.ResponseWriter, r *http.Request) {
	came := w.Now()
	deadline := time.NewTimer(recordWait)
	defer deadline.Stop()
	t, status, refusal := w.read(rw, r, came)
	if refusal != nil {
		w.metrics.hooks.WithLabelValues(hookMalformed).Inc()
		w.Log.Warn("hook rejected", "error", refusal)
		gate.Answer(rw, status, refusal)
		return
	}
	h := t.head
	w.reportIgnored(h.Event, h.Mismatched)
	if w.Ignore(h.Session) {
		rw.WriteHeader(http.StatusOK)
		return
	}
	id := w.Principal(r).AgentID
	if t.authenticated = id != ""; t.authenticated && id != w.Source.AgentID(h.Session, "") && id != w.Source.AgentID(h.Session, h.Agent) {
		gate.Answer(rw, http.StatusForbidden, contracts.Refuse(contracts.CodeNotAllowed, "this token is for %s; use it only for that agent's hooks", id))
		return
	}
	if h.Asks {
		t.ask, t.wait = true, w.AskWait
		w.servePermission(rw, r, t)
		return
	}
	outcome := w.record(r.Context(), t, came, deadline.C)
	w.metrics.hooks.WithLabelValues(outcome).Inc()
	w.metrics.seconds.Observe(w.Now().Sub(came).Seconds())
	switch outcome {
	case hookOverflow: // the hook command spools it
		rw.Header().Set("Retry-After", "1")
		gate.Answer(rw, http.StatusServiceUnavailable, contracts.Refuse(contracts.CodeInternal, "hooks are arriving faster than they can be recorded; retry this one"))
	case hookNoPlace:
		gate.Answer(rw, http.StatusConflict, contracts.Refuse(contracts.CodeConflict, "this hook was not recorded: %v", t.refused))
	case hookPending: // it is not known yet whether the office is full
		rw.WriteHeader(http.StatusAccepted)
	default:
		rw.WriteHeader(http.StatusOK)
	}
}

func newTask(h guest.Hook, at time.Time) *task {
	head := h.Head()
	return &task{session: head.Session, agent: head.Agent, hook: h, head: head, at: at.UnixMilli(), done: make(chan struct{})}
}

// record passes a hook to its shard, or to the spool if hooks that are already in the spool must be
// recorded first. A hook that is not recorded in time is stored, so that it is not lost if the
// process ends.
func (w *Watcher) record(ctx context.Context, t *task, came time.Time, late <-chan time.Time) (outcome string) {
	if w.spool == nil {
		return w.queue(ctx, t, late)
	}
	if w.spool.putIfBehind(came, t.body) {
		return hookPending
	}
	if outcome = w.queue(ctx, t, late); outcome == hookPending {
		if err := w.spool.keep(t, came, t.body); err != nil {
			w.Log.Warn("hook was answered before it was recorded; it is lost if the process ends now", "error", err)
		}
	}
	return outcome
}

// queue passes a task to its shard, waits until the task is recorded or late fires, and returns the
// outcome.
func (w *Watcher) queue(ctx context.Context, t *task, late <-chan time.Time) (outcome string) {
	if !w.enqueue(t) {
		w.Log.Warn("hooks are arriving faster than they can be recorded; the sender must retry this one", "session", t.session, "event", t.head.Event)
		return hookOverflow
	}
	select {
	case <-t.done:
		if errors.Is(t.refused, intake.ErrFull) && !t.ask {
			return hookNoPlace
		}
		return hookTaken
	case <-late:
	case <-ctx.Done():
	}
	return hookPending
}

// enqueue puts a hook into its shard. It returns false if too many hooks, or too many bytes, are
// waiting.
func (w *Watcher) enqueue(t *task) bool {
	if w.backlog.Add(t.size) <= w.Backlog {
		select {
		case w.shardOf(t.session).tasks <- t:
			return true
		default:
		}
	}
	w.backlog.Add(-t.size)
	return false
}

// RecordSpooled records a spooled hook. It returns nil once the record is durable, ErrMalformed if
// body is not a hook, intake.ErrFull if the office is full, and any other error if the caller
// should retry later.
func (w *Watcher) RecordSpooled(ctx context.Context, at time.Time, body []byte) error {
	h, err := w.ParseHook(body, true)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	t := newTask(h, at)
	w.reportIgnored(t.head.Event, t.head.Mismatched)
	select {
	case w.shardOf(t.session).tasks <- t:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-t.done:
		if t.unrecorded {
			return context.Cause(ctx)
		}
		if errors.Is(t.refused, intake.ErrFull) {
			w.metrics.hooks.WithLabelValues(hookNoPlace).Inc()
			return t.refused
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// read decodes a request into a task. On failure it returns the HTTP status and a refusal.
func (w *Watcher) read(rw http.ResponseWriter, r *http.Request, came time.Time) (t *task, status int, refusal *contracts.Refusal) {
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, contracts.LimitHookBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, http.StatusRequestEntityTooLarge, contracts.Refuse(contracts.CodeValidationFailed, "the hook exceeds %d bytes", contracts.LimitHookBody)
	case err != nil:
		return nil, http.StatusBadRequest, contracts.Refuse(contracts.CodeValidationFailed, "the request body could not be read")
	}
	h, err := w.ParseHook(body, false)
	if err != nil {
		return nil, http.StatusBadRequest, contracts.Refuse(contracts.CodeValidationFailed, "not a valid %s hook: %v", w.Label, err)
	}
	t = newTask(h, came)
	t.body, t.size = body, int64(len(body))
	return t, 0, nil
}
