package connect

import (
	"errors"
	"log/slog"
	"net/http"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
)

// Door serves operators the list of agents and models that can be connected. Connecting one of them
// changes files, so it requires the operator credential.
type Door struct {
	finder *Finder
	log    *slog.Logger
}

// NewDoor returns the HTTP handlers for f.
func NewDoor(f *Finder, log *slog.Logger) *Door { return &Door{f, log} }

// Doors returns the handlers by route pattern. All routes are for operators.
func (d *Door) Doors() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"GET /v1/connect":       d.serveConnect,
		"POST /v1/connect/{id}": d.serveInstall,
	}
}

func (d *Door) serveConnect(w http.ResponseWriter, r *http.Request) {
	report := d.finder.Look(r.Context())
	report.Permit = gate.PrincipalFrom(r).Permit
	gate.Answer(w, http.StatusOK, report)
}

// serveInstall handles POST /v1/connect/{id}: it executes the plan of an item.
func (d *Door) serveInstall(w http.ResponseWriter, r *http.Request) {
	if !gate.PrincipalFrom(r).Permit {
		gate.Answer(w, http.StatusForbidden, contracts.RefuseWithoutOperator("connecting an item"))
		return
	}
	report, err := d.finder.Install(r.Context(), r.PathValue("id"))
	var conflict *agents.ConflictError
	switch {
	case errors.Is(err, ErrNothingToDo), errors.As(err, &conflict):
		gate.Refuse(w, http.StatusConflict, contracts.CodeConflict, "%v", err)
	case err != nil:
		d.log.Error("item could not be connected", "item", r.PathValue("id"), "error", err)
		gate.Refuse(w, http.StatusInternalServerError, contracts.CodeInternal, "%v", err)
	default:
		d.log.Info("item connected at an operator's request", "item", r.PathValue("id"), "principal", gate.PrincipalFrom(r).ID)
		report.Permit = true
		gate.Answer(w, http.StatusOK, report)
	}
}
