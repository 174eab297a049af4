package server

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/intake"
)

// openUI prepares to take workflow events in.
func (s *Server) openUI() {
	home, _ := os.UserHomeDir() // without one, paths are shown whole
	s.ui = intake.NewUI(intake.UIConfig{
		Office: s.office, Guests: s.roster, Blobs: s.ledger, Agent: s.view.Profile, Principal: gate.PrincipalFrom,
		Roots: hud.RootsAt("", home), Now: s.office.Clock().Now, Log: s.cfg.Log,
	})
	s.ui.TakeOver(s.view.Opened(contracts.SourceUI))
}

// openUIDoors opens the doors of workflow events, and the one where a workflow
// waits for the answer to what it asked.
func (s *Server) openUIDoors(mux *http.ServeMux) {
	mux.HandleFunc("POST /v1/ui/{kind}", gate.Needs(s.ui.ServeKind, contracts.AccessOperator, contracts.AccessAgent))
	mux.HandleFunc("POST /v1/events", gate.Needs(s.ui.ServeEvents, contracts.AccessOperator, contracts.AccessAgent))
	mux.HandleFunc("GET /v1/decisions/{id}", gate.Needs(s.serveAnswer, contracts.AccessViewer, contracts.AccessOperator, contracts.AccessAgent))
}

// serveAnswer is GET /v1/decisions/{id}: with ?wait= it answers when the decision
// has ended or the time is over, whichever is first, with the row as it is then.
func (s *Server) serveAnswer(w http.ResponseWriter, r *http.Request) {
	wait, err := waitOf(r.URL.Query().Get("wait"))
	if err != nil {
		gate.Answer(w, http.StatusBadRequest, contracts.RefuseField("wait", "wait is a time like 30s, or seconds"))
		return
	}
	if bound := gate.PrincipalFrom(r).AgentID; bound != "" && s.askedBy(r.Context(), r.PathValue("id")) != bound {
		gate.Refuse(w, http.StatusForbidden, contracts.CodeNotAllowed, "this credential sees only what %s asked", bound)
		return
	}
	if wait > 0 {
		s.await(r, wait)
	}
	s.serveDecision(w, r)
}

// archivedDecision is a question that is not part of the live work any more, with
// its answer.
type archivedDecision struct {
	contracts.Decision
	Archived bool `json:"archived"`
}

func (s *Server) serveDecision(w http.ResponseWriter, r *http.Request) {
	row, live, found, err := s.view.Decision(r.Context(), r.PathValue("id"))
	switch {
	case answerMissing(w, "decision", found, err):
	case live, row.Status == contracts.DecisionOpen: // it may be too new to be in sight
		gate.Answer(w, http.StatusOK, row)
	default:
		gate.Answer(w, http.StatusOK, archivedDecision{Decision: row, Archived: true})
	}
}

// await returns when the decision has ended, the time is over, or the doors close.
func (s *Server) await(r *http.Request, wait time.Duration) {
	ctx, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	stop := context.AfterFunc(s.parting, cancel)
	defer stop()
	_, _ = s.view.Await(ctx, r.PathValue("id")) // whatever it says, the row says it better
}

// askedBy is who asked, also when nobody needs the answer any more.
func (s *Server) askedBy(ctx context.Context, id string) string {
	d, _, ok, err := s.view.Decision(ctx, id)
	if err != nil || !ok {
		return ""
	}
	return d.AskedBy
}

// waitOf reads 30s, 500ms or 30; nothing is no time, and no time is longer than
// DecisionWait.
func waitOf(s string) (time.Duration, error) {
	if s = strings.TrimSpace(s); s == "" {
		return 0, nil
	}
	wait, err := time.ParseDuration(s)
	if seconds, bad := strconv.ParseFloat(s, 64); bad == nil {
		wait, err = time.Duration(min(seconds, contracts.DecisionWait.Seconds())*float64(time.Second)), nil
	}
	if err != nil || wait < 0 {
		return 0, errors.New("not a time")
	}
	return min(wait, contracts.DecisionWait), nil
}
