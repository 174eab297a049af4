package watch

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
)

// servePermission asks people and responds with their answer. The answer comes from the ledger, where
// only a rule or a caller with an operator credential can record it (S4). On any failure the response
// is empty, so the terminal keeps asking.
func (w *Watcher) servePermission(rw http.ResponseWriter, r *http.Request, t *task) {
	rw, stop := startHeartbeat(rw, r)
	defer stop()
	// A request that waits for a person takes longer than other requests.
	_ = http.NewResponseController(rw).SetWriteDeadline(time.Now().Add(2 * t.wait))
	if decided := w.permit(r.Context(), t); decided != nil {
		if answer := t.hook.Answer(decided...); answer != nil {
			rw.Header().Set("Content-Type", "application/json; charset=utf-8")
			_, _ = rw.Write(answer)
			return
		}
	}
	rw.WriteHeader(http.StatusOK)
}

// permit asks people and waits up to t.wait for their answer. It returns nil if there is no answer.
// asker is cancelled when the request is no longer waiting for an answer.
func (w *Watcher) permit(asker context.Context, t *task) (decided []contracts.Decision) {
	ctx, cancel := context.WithTimeout(asker, t.wait)
	defer cancel()
	defer context.AfterFunc(w.untilClose, cancel)()
	if w.spool != nil {
		w.spool.await(ctx) // earlier hooks must be recorded first: recorded later, they would end the question
	}
	outcome := w.queue(ctx, t, nil)
	w.metrics.hooks.WithLabelValues(outcome).Inc()
	switch {
	case outcome == hookTaken && t.refused != nil:
		w.Log.Warn("could not record a permission request; it can only be answered in the terminal", "session", t.session, "tool", t.head.Tool, "error", t.refused)
		w.withdrawOpen(context.WithoutCancel(ctx), t.decisions, "the office could not record the whole request; answer in the terminal")
		fallthrough
	case outcome == hookOverflow, outcome == hookPending && t.abandon():
		return nil
	}
	decided, err := w.await(ctx, t.decisions)
	if err != nil {
		reason, answered := w.stopReason(asker)
		w.stopAsking(context.WithoutCancel(ctx), t, reason, answered)
		return nil
	}
	d := decided[len(decided)-1]
	w.reportAnswered(ctx, t, w.callOf(d), "permission request "+string(d.Status), d.Status == contracts.DecisionResolved)
	return decided
}

// reportAnswered reports that the agent is no longer waiting for an answer about a call. If
// answered is true, it also clears the session notice that some programs send for the same prompt;
// if the notice stayed, the agent would appear to be waiting while the tool runs.
func (w *Watcher) reportAnswered(ctx context.Context, t *task, call, says string, answered bool) {
	e := status.Evidence{Source: contracts.FromOffice, Claim: status.Answered, Call: call, Says: says, At: w.Now().UnixMilli()}
	w.Roster.AddEvidence(ctx, w.Source.AgentID(t.session, t.agent), e)
	if answered {
		e.Call = guest.Notice
		w.Roster.AddEvidence(ctx, w.Source.AgentID(t.session, ""), e)
	}
}

// await waits for the decisions in order and returns them. If a decision is cancelled, it withdraws
// the rest and returns early. It fails if ctx is done first or a decision does not exist.
func (w *Watcher) await(ctx context.Context, ids []string) (decided []contracts.Decision, err error) {
	for i, id := range ids {
		d, err := w.Office.Await(ctx, id)
		if err != nil {
			return nil, err
		}
		w.asks.remove(id)
		if decided = append(decided, d); d.Status != contracts.DecisionResolved {
			w.withdrawOpen(ctx, ids[i+1:], d.Reason)
			break
		}
	}
	return decided, nil
}

func (w *Watcher) callOf(d contracts.Decision) string {
	if d.Permission == nil {
		return ""
	}
	return d.Permission.CallID
}

// stopReason returns the reason that the request is no longer waiting for an answer; answered means
// that a person answered it in the terminal.
func (w *Watcher) stopReason(asker context.Context) (reason string, answered bool) {
	switch {
	case w.untilClose.Err() != nil:
		return "the server is shutting down; answer in the terminal", false
	case errors.Is(context.Cause(asker), guest.ErrDisconnected):
		return guest.ErrDisconnected.Error(), false
	case asker.Err() != nil:
		return answeredElsewhere, true
	}
	return "no one answered in time; answer in the terminal", false
}

// stopAsking withdraws a hook's questions, because they were answered in the terminal (answered is
// true) or because only the terminal asks them from now on.
func (w *Watcher) stopAsking(ctx context.Context, t *task, reason string, answered bool) {
	calls := w.withdrawOpen(ctx, t.decisions, reason)
	if answered && len(calls) > 0 {
		w.reportAnswered(ctx, t, calls[0], "permission request "+answeredElsewhere, true)
	}
}

// withdrawOpen withdraws the decisions that are still open, and returns the calls that they were
// about.
func (w *Watcher) withdrawOpen(ctx context.Context, decisions []string, reason string) (calls []string) {
	ctx, cancel := context.WithTimeout(ctx, contracts.RecordTimeout)
	defer cancel()
	for _, id := range decisions {
		if q, open := w.asks.remove(id); open {
			w.withdraw(ctx, id, reason)
			calls = append(calls, q.call)
		}
	}
	return calls
}
