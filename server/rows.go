package server

import (
	"context"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/world"
)

// state is the office as of now.
func (s *Server) state() (snap contracts.Snapshot) {
	players := s.office.Players()
	now := s.office.Clock().MS()
	s.hub.Look(func(w *world.World) { snap = w.Snapshot(now, players) })
	return snap
}

func (s *Server) serveState(w http.ResponseWriter, _ *http.Request) {
	gate.Answer(w, http.StatusOK, s.state())
}

func (s *Server) serveDecision(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	var row contracts.Decision
	found := false
	s.hub.Look(func(w *world.World) {
		if d := w.Decision(id); d != nil {
			row, found = *d, true
		}
	})
	if !found {
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "there is no such decision; GET /v1/state lists those of the live work")
		return
	}
	gate.Answer(w, http.StatusOK, row)
}

func (s *Server) serveArtifact(w http.ResponseWriter, r *http.Request) {
	row, ok, err := s.artifact(r.Context(), r.PathValue("id"))
	if !answerMissing(w, "artifact", ok, err) {
		gate.Answer(w, http.StatusOK, row)
	}
}

// artifact is the row as it is now, or, once its project is archived, as it was
// made. The ledger knows every version by its key.
func (s *Server) artifact(ctx context.Context, id string) (row contracts.Artifact, ok bool, err error) {
	if !contracts.HasPrefix(id, contracts.PrefixArtifact) {
		return row, false, nil
	}
	s.hub.Look(func(w *world.World) {
		if a := w.Artifact(id); a != nil {
			row, ok = *a, true
		}
	})
	if ok {
		return row, true, nil
	}
	rec, ok, err := s.ledger.Lookup(ctx, "art/"+id)
	if !ok || err != nil {
		return row, false, err
	}
	body, err := rec.Decode()
	if err != nil {
		return row, false, err
	}
	if e, isEvent := body.(*contracts.Event); isEvent && e.Artifact != nil {
		return *e.Artifact, true, nil
	}
	return row, false, nil
}

// answerMissing answers when there is nothing to show.
func answerMissing(w http.ResponseWriter, what string, ok bool, err error) bool {
	switch {
	case err != nil:
		gate.Refuse(w, http.StatusServiceUnavailable, contracts.CodeInternal, "the %s cannot be read now; try again, and see /readyz", what)
	case !ok:
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "there is no such %s", what)
	default:
		return false
	}
	return true
}

// serveScene serves the one scene there is. The id is compared, never opened.
func (s *Server) serveScene(w http.ResponseWriter, r *http.Request) {
	if r.PathValue("id") != s.cfg.Scene.ID() {
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "there is no such scene; this office is %s", s.cfg.Scene.ID())
		return
	}
	body, err := json.Marshal(s.cfg.Scene.Manifest())
	if err != nil {
		gate.Refuse(w, http.StatusInternalServerError, contracts.CodeInternal, "the scene could not be encoded")
		return
	}
	serveBytes(w, r, "application/json; charset=utf-8", body)
}

// serveContract serves the embedded schemas and examples.
func serveContract(w http.ResponseWriter, r *http.Request) {
	name := path.Clean(r.PathValue("path"))
	if !strings.HasSuffix(name, ".json") || !fs.ValidPath(name) {
		name = "."
	}
	body, err := fs.ReadFile(contracts.Files(), name)
	if err != nil {
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "there is no such contract; the schemas are at /contracts/schemas/NAME.schema.json")
		return
	}
	serveBytes(w, r, "application/json; charset=utf-8", body)
}
