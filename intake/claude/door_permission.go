package claude

import (
	"context"
	"net/http"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	wire "github.com/bullpen-office/bullpen/hud/claude"
	"github.com/bullpen-office/bullpen/hud/status"
)

// servePermission asks people and brings their answer back. The door itself can
// answer nothing: the answer comes from the ledger, where only a caller with the
// operator credential can put it (T16). Whatever goes wrong, the answer is empty
// and the terminal asks on.
func (in *Intake) servePermission(w http.ResponseWriter, r *http.Request, t *task) {
	w, stop := beat(w, r)
	defer stop()
	ctx, cancel := context.WithTimeout(r.Context(), contracts.PermissionWait)
	defer cancel()
	defer context.AfterFunc(in.life, cancel)()
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(2 * contracts.PermissionWait)) // a person takes longer than a page may
	outcome := in.queue(ctx, t, nil)
	in.metrics.hooks.WithLabelValues(outcome).Inc()
	switch {
	case outcome == hookTaken && t.decision == "":
		in.Log.Warn("a permission request could not be asked in the office; the terminal asks", "session", t.session, "tool", t.hook.Tool, "error", t.refused)
		fallthrough
	case outcome == hookOverflow, outcome == hookLate && t.abandon():
		w.WriteHeader(http.StatusOK)
		return
	}
	d, err := in.Answers.Await(ctx, t.decision)
	if err != nil {
		in.giveUp(context.WithoutCancel(ctx), t.decision, in.excuse(r))
		w.WriteHeader(http.StatusOK)
		return
	}
	in.asks.remove(t.decision)
	in.Roster.Witness(ctx, wire.AgentID(t.session, t.agent), status.Evidence{
		Source: contracts.FromOffice, Claim: status.Answered, Call: in.callOf(d), Says: "the permission request was " + string(d.Status), At: in.Now().UnixMilli(),
	})
	if answer := t.hook.Answer(d); answer != nil {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = w.Write(answer)
		return
	}
	w.WriteHeader(http.StatusOK)
}

func (in *Intake) callOf(d contracts.Decision) string {
	if d.Permission == nil {
		return ""
	}
	return d.Permission.CallID
}

// excuse says why nobody waits for an answer any more.
func (in *Intake) excuse(r *http.Request) string {
	switch {
	case in.life.Err() != nil:
		return "the server is closing; answer in the terminal"
	case r.Context().Err() != nil:
		return answeredElsewhere
	}
	return "nobody answered in time; the terminal asks"
}

// giveUp withdraws a question whose hook no longer waits.
func (in *Intake) giveUp(ctx context.Context, decision, reason string) {
	if !in.asks.remove(decision) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, contracts.RecordTimeout)
	defer cancel()
	in.withdraw(ctx, decision, reason)
}
