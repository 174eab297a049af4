package server

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/view"
	"github.com/bullpen-office/bullpen/web"
)

func (s *Server) serveState(w http.ResponseWriter, _ *http.Request) {
	gate.Answer(w, http.StatusOK, s.view.State())
}

func (s *Server) serveProject(w http.ResponseWriter, r *http.Request) {
	row, ok := s.view.Project(r.PathValue("id"))
	answerRow(w, "project in the live work", row, ok, nil)
}

func (s *Server) serveTask(w http.ResponseWriter, r *http.Request) {
	row, ok := s.view.Task(r.PathValue("id"))
	answerRow(w, "task in the live work", row, ok, nil)
}

func (s *Server) serveArtifact(w http.ResponseWriter, r *http.Request) {
	row, ok, err := s.view.Artifact(r.Context(), r.PathValue("id"))
	answerRow(w, "artifact", row, ok, err)
}

// serveContent serves any version of a deliverable.
func (s *Server) serveContent(w http.ResponseWriter, r *http.Request) {
	row, ok, err := s.view.Artifact(r.Context(), r.PathValue("id"))
	if answerMissing(w, "artifact", ok, err) {
		return
	}
	content, ok, err := s.ledger.Blob(r.Context(), row.SHA256)
	if !answerMissing(w, "content", ok, err) {
		web.ServeArtifact(w, r, row, content)
	}
}

// servePage is the office as text.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) {
	page := web.Page{State: s.view.State(), Version: s.cfg.Version, Crew: s.cfg.Crew, Permit: gate.PrincipalFrom(r).Permit}
	if err := page.Serve(w); err != nil {
		s.cfg.Log.Error("the page could not be written", "error", err)
	}
}

// serveNeeds is GET /v1/needs.
func (s *Server) serveNeeds(w http.ResponseWriter, _ *http.Request) {
	state := s.view.State()
	gate.Answer(w, http.StatusOK, struct {
		Seq   uint64      `json:"seq"`
		Needs []view.Need `json:"needs"`
	}{state.Seq, view.Needs(&state)})
}

func (s *Server) serveAgents(w http.ResponseWriter, _ *http.Request) {
	gate.Answer(w, http.StatusOK, s.view.Agents(s.judge))
}

// judge is what the evidence says of a guest now.
func (s *Server) judge(id string) (view.Verdict, bool) {
	e, ok := s.roster.Explain(id)
	return view.Verdict{AgentStatus: contracts.AgentStatus{
		AgentID: e.AgentID, Activity: e.Activity, Line: e.Line, Why: e.Why, Authority: e.Authority, Since: e.Since, Said: e.Said, Evidence: e.Evidence,
	}, DecaysAt: e.DecaysAt, PID: e.PID}, ok
}

func (s *Server) serveAgentExplain(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	out, ok, err := s.view.Explain(r.Context(), id, s.judge)
	out.Now = s.cfg.Now().UnixMilli()
	switch {
	case err != nil:
		gate.Refuse(w, http.StatusServiceUnavailable, contracts.CodeInternal, "the activity of %s cannot be read now; try again, and see /readyz", id)
	case ok:
		gate.Answer(w, http.StatusOK, out)
	default:
		why := "there is no such agent in the office; GET /v1/agents lists them"
		if d, ok := s.roster.Left(id); ok {
			ago := status.Words(time.Duration(max(out.Now-d.At, 0)) * time.Millisecond)
			why = fmt.Sprintf("%s left %s ago: %s It returns when it reports again.", d.Name, ago, d.Reason)
		}
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "%s", why)
	}
}

// serveUsage answers GET /v1/usage?days=&by=. Without by all parts are there.
func (s *Server) serveUsage(w http.ResponseWriter, r *http.Request) {
	days, parts, refusal := usageQuery(r)
	if refusal != nil {
		gate.Answer(w, http.StatusBadRequest, refusal)
		return
	}
	gate.Answer(w, http.StatusOK, s.view.Usage(days, parts))
}

func usageQuery(r *http.Request) (days int, parts []string, refusal *contracts.Refusal) {
	query := r.URL.Query()
	days = contracts.LimitUsageShown
	if text := query.Get("days"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > contracts.LimitUsageDays {
			return 0, nil, contracts.RefuseField("days", "days must be a whole number, 1 to %d", contracts.LimitUsageDays)
		}
		days = n
	}
	if query.Get("by") == "" {
		return days, view.UsageParts, nil
	}
	parts = strings.Split(query.Get("by"), ",")
	for _, part := range parts {
		if !slices.Contains(view.UsageParts, part) {
			return 0, nil, contracts.RefuseField("by", "by must be some of %s, separated by commas", strings.Join(view.UsageParts, ", "))
		}
	}
	return days, parts, nil
}

func answerRow(w http.ResponseWriter, what string, row any, ok bool, err error) {
	if !answerMissing(w, what, ok, err) {
		gate.Answer(w, http.StatusOK, row)
	}
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
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "there is no such contract; the schemas are at /contracts/schemas/NAME.schema.json")
		return
	}
	web.ServeBytes(w, r, "application/json; charset=utf-8", body)
}
