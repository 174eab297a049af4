package server

import (
	"errors"
	"net/http"
	"strings"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/connect"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
)

// openConnectDoors lets operators see what could be connected on this machine. Only
// the operator's credential has the office connect it: that changes files.
func (s *Server) openConnectDoors(mux *http.ServeMux) {
	cfg := s.cfg.Connect
	cfg.Vendors, cfg.Office = all.Adapters, s.connectOffice
	s.connect = connect.New(cfg)
	mux.HandleFunc("GET /v1/connect", gate.Needs(s.serveConnect, contracts.AccessOperator))
	mux.HandleFunc("POST /v1/connect/{id}", gate.Needs(s.serveInstall, contracts.AccessOperator))
}

func (s *Server) serveConnect(w http.ResponseWriter, r *http.Request) {
	report := s.connect.Look(r.Context())
	report.Permit = gate.PrincipalFrom(r).Permit
	gate.Answer(w, http.StatusOK, report)
}

// serveInstall is POST /v1/connect/{id}: it carries the plan of an item out.
func (s *Server) serveInstall(w http.ResponseWriter, r *http.Request) {
	if !gate.PrincipalFrom(r).Permit {
		gate.Refuse(w, http.StatusForbidden, contracts.CodeNotAllowed, "this requires the operator credential: open the office with `bullpen open`, or run the command in a terminal")
		return
	}
	report, err := s.connect.Install(r.Context(), r.PathValue("id"))
	var conflict *agents.ConflictError
	switch {
	case errors.Is(err, connect.ErrNothingToDo), errors.As(err, &conflict):
		gate.Refuse(w, http.StatusConflict, contracts.CodeConflict, "%v", err)
	case err != nil:
		s.cfg.Log.Error("could not connect", "item", r.PathValue("id"), "error", err)
		gate.Refuse(w, http.StatusInternalServerError, contracts.CodeInternal, "%v", err)
	default:
		s.cfg.Log.Info("connected on an operator's request", "item", r.PathValue("id"), "principal", gate.PrincipalFrom(r).ID)
		report.Permit = true
		gate.Answer(w, http.StatusOK, report)
	}
}

// connectOffice is what a look needs to know of this office.
func (s *Server) connectOffice() agents.Running {
	o := agents.Running{
		URL:  "http" + strings.TrimSuffix(strings.TrimPrefix(s.address, "ws"), gate.BridgePath),
		Crew: s.cfg.Crew, Guests: s.view.Guests(), Links: map[string][]agents.Link{},
	}
	for _, name := range s.cfg.Staff.Used() {
		if r, ok := s.cfg.Staff.Runner(name); ok {
			o.Kinds = append(o.Kinds, string(r.Kind))
		}
	}
	for source, w := range s.watchers {
		o.Links[source] = w.Links()
	}
	return o
}
