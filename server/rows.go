package server

import (
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/view"
	"github.com/bullpen-office/bullpen/web"
)

// servePage serves the office as text.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) {
	page := web.Page{State: s.view.State(), House: s.cfg.Scene.Manifest().Label, Version: s.cfg.Version, Crew: s.cfg.Crew, Permit: gate.PrincipalFrom(r).Permit}
	if err := page.Serve(w); err != nil {
		s.cfg.Log.Error("the text page could not be served", "error", err)
	}
}

// serveScene serves the office's scene, with or without its id in the URL, and the modules of the
// campus. The id is only compared, never used as a file path.
func (s *Server) serveScene(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	body, ok := contracts.ModuleManifest(id)
	if id == "" || id == s.cfg.Scene.ID() {
		body, ok = s.cfg.Scene.JSON(), true
	}
	if !ok {
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "no such scene; this office has %s", s.cfg.Scene.ID())
		return
	}
	web.ServeBytes(w, r, "application/json; charset=utf-8", body)
}

// serveContract serves the embedded schemas and examples.
func serveContract(w http.ResponseWriter, r *http.Request) {
	name := path.Clean(r.PathValue("path"))
	if !strings.HasSuffix(name, ".json") || !fs.ValidPath(name) {
		name = "."
	}
	body, err := fs.ReadFile(contracts.Files(), name)
	if err != nil {
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "no such contract; the schemas are at /contracts/schemas/NAME.schema.json")
		return
	}
	web.ServeBytes(w, r, "application/json; charset=utf-8", body)
}

// judge returns the current verdict on a guest, or false if the guest is not on the roster.
func (s *Server) judge(id string) (view.Verdict, bool) {
	e, ok := s.roster.Explain(id)
	return view.Verdict{AgentStatus: contracts.AgentStatus{
		AgentID: e.AgentID, Activity: e.Activity, Line: e.Line, Why: e.Why, Authority: e.Authority, Since: e.Since, Said: e.Said, Evidence: e.Evidence,
	}, DecaysAt: e.DecaysAt, PID: e.PID}, ok
}
