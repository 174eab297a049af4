package server

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/world"
)

// state is the office as of now.
func (s *Server) state() (snap contracts.Snapshot) {
	players := s.office.Players()
	now := s.office.Clock().MS()
	s.view.Look(func(w *world.World) { snap = w.Snapshot(now, players, s.sources) })
	return snap
}

func (s *Server) serveState(w http.ResponseWriter, _ *http.Request) {
	gate.Answer(w, http.StatusOK, s.state())
}

// serveProject answers with the whole row; snapshots carry it shortened.
func (s *Server) serveProject(w http.ResponseWriter, r *http.Request) {
	var row contracts.Project
	found := false
	s.view.Look(func(w *world.World) {
		if p := w.Project(r.PathValue("id")); p != nil {
			row, found = w.ProjectRow(p), true
		}
	})
	if !answerMissing(w, "project in the live work", found, nil) {
		gate.Answer(w, http.StatusOK, row)
	}
}

// serveTask answers with the whole row; snapshots carry it shortened.
func (s *Server) serveTask(w http.ResponseWriter, r *http.Request) {
	var row contracts.Task
	found := false
	s.view.Look(func(w *world.World) {
		if t := w.Task(r.PathValue("id")); t != nil {
			row, found = t.Task, true
		}
	})
	if !answerMissing(w, "task in the live work", found, nil) {
		gate.Answer(w, http.StatusOK, row)
	}
}

// archivedDecision is a question that is not part of the live work any more, with
// its answer.
type archivedDecision struct {
	contracts.Decision
	Archived bool `json:"archived"`
}

func (s *Server) serveDecision(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	row, live, found, err := s.view.Decision(r.Context(), id)
	switch {
	case answerMissing(w, "decision", found, err):
	case live, row.Status == contracts.DecisionOpen: // it may be too new to be in sight
		gate.Answer(w, http.StatusOK, row)
	default:
		gate.Answer(w, http.StatusOK, archivedDecision{Decision: row, Archived: true})
	}
}

func (s *Server) serveArtifact(w http.ResponseWriter, r *http.Request) {
	row, ok, err := s.artifact(r.Context(), r.PathValue("id"))
	if !answerMissing(w, "artifact", ok, err) {
		gate.Answer(w, http.StatusOK, row)
	}
}

// artifact is the row as it is now, or, once its project is archived, as it was
// made, but archived.
func (s *Server) artifact(ctx context.Context, id string) (row contracts.Artifact, ok bool, err error) {
	s.view.Look(func(w *world.World) {
		if a := w.Artifact(id); a != nil {
			row, ok = *a, true
		}
	})
	if ok {
		return row, true, nil
	}
	e, err := s.keyedEvent(ctx, contracts.PrefixArtifact, id)
	if err != nil || e == nil || e.Artifact == nil {
		return row, false, err
	}
	row = *e.Artifact
	s.view.Look(func(w *world.World) {
		if w.Project(row.ProjectID) == nil {
			row.Status = contracts.ArtifactArchived
		}
	})
	return row, true, nil
}

// keyedEvent finds the event that made something, nil when there is none. The
// ledger knows it by its key, also when the world has forgotten it.
func (s *Server) keyedEvent(ctx context.Context, prefix contracts.Prefix, id string) (*contracts.Event, error) {
	if !contracts.HasPrefix(id, prefix) {
		return nil, nil
	}
	rec, ok, err := s.ledger.Lookup(ctx, string(prefix)+"/"+id)
	if !ok || err != nil {
		return nil, err
	}
	body, err := rec.Decode()
	if err != nil {
		return nil, err
	}
	e, _ := body.(*contracts.Event)
	return e, nil
}

// answerMissing answers when there is nothing to show.
func answerMissing(w http.ResponseWriter, what string, ok bool, err error) bool {
	switch {
	case errors.Is(err, ledger.ErrCorrupt):
		gate.Refuse(w, http.StatusInternalServerError, contracts.CodeInternal, "the %s cannot be read: %v", what, err)
	case err != nil:
		gate.Refuse(w, http.StatusServiceUnavailable, contracts.CodeInternal, "the %s cannot be read now; try again, and see /readyz", what)
	case !ok:
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "there is no such %s", what)
	default:
		return false
	}
	return true
}

// serveScene serves the office's scene, with or without its id in the path. The id is
// only compared, never used as a path.
func (s *Server) serveScene(w http.ResponseWriter, r *http.Request) {
	if id := r.PathValue("id"); id != "" && id != s.cfg.Scene.ID() {
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
