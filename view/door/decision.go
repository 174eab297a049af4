package door

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
)

// ServeDecision handles GET /v1/decisions/{id}. With ?wait= it responds once the decision is
// resolved or cancelled, or the time is up. The response is the decision's current row.
func (d *Door) ServeDecision(w http.ResponseWriter, r *http.Request) {
	wait, err := waitOf(r.URL.Query().Get("wait"))
	if err != nil {
		gate.Answer(w, http.StatusBadRequest, contracts.RefuseField("wait", "wait must be a duration such as 30s, or a number of seconds"))
		return
	}
	if bound := gate.PrincipalFrom(r).AgentID; bound != "" && d.askedBy(r.Context(), r.PathValue("id")) != bound {
		gate.Refuse(w, http.StatusForbidden, contracts.CodeNotAllowed, "this token can only read questions asked by %s", bound)
		return
	}
	if post := gate.PrincipalFrom(r).Outpost; post != "" && !d.askedAtOutpost(r.Context(), r.PathValue("id"), post) {
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "no agent of outpost %s has asked question %q", post, r.PathValue("id"))
		return
	}
	if wait > 0 {
		d.await(r, wait)
	}
	d.answerDecision(w, r)
}

// ArchivedDecision is a question from archived work, together with its answer.
type ArchivedDecision struct {
	contracts.Decision
	Archived bool `json:"archived"`
}

func (d *Door) answerDecision(w http.ResponseWriter, r *http.Request) {
	row, live, found, err := d.cfg.View.Decision(r.Context(), r.PathValue("id"))
	switch {
	case answerMissing(w, named("question", r), "", found, err):
	case live, row.Status == contracts.DecisionOpen: // the world may not contain a new decision yet
		gate.Answer(w, http.StatusOK, row)
	default:
		gate.Answer(w, http.StatusOK, ArchivedDecision{Decision: row, Archived: true})
	}
}

// await waits until the decision is resolved or cancelled, the time is up, or the server stops.
func (d *Door) await(r *http.Request, wait time.Duration) {
	ctx, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	stop := context.AfterFunc(d.cfg.ShutdownCtx, cancel)
	defer stop()
	_, _ = d.cfg.View.Await(ctx, r.PathValue("id")) // ignore the error: the response shows the current row
}

// askedBy returns the agent that asked a question, even if the question was withdrawn. It returns
// "" if there is no such question.
func (d *Door) askedBy(ctx context.Context, id string) string {
	row, _, ok, err := d.cfg.View.Decision(ctx, id)
	if err != nil || !ok {
		return ""
	}
	return row.AskedBy
}

// askedAtOutpost reports whether the agent that asked a question is in the office and belongs to
// the given outpost.
func (d *Door) askedAtOutpost(ctx context.Context, id, outpost string) bool {
	a, ok := d.cfg.View.Profile(d.askedBy(ctx, id))
	return ok && a.Outpost == outpost
}

// waitOf parses a duration such as 30s, or a number of seconds. Empty means 0; longer durations are
// capped at contracts.DecisionWait.
func waitOf(s string) (time.Duration, error) {
	if s = strings.TrimSpace(s); s == "" {
		return 0, nil
	}
	wait, err := time.ParseDuration(s)
	if seconds, bad := strconv.ParseFloat(s, 64); bad == nil {
		wait, err = time.Duration(min(seconds, contracts.DecisionWait.Seconds())*float64(time.Second)), nil
	}
	if err != nil || wait < 0 {
		return 0, errors.New("not a duration")
	}
	return min(wait, contracts.DecisionWait), nil
}
