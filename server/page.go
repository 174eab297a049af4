package server

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"path"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/tui/model"
)

//go:embed page
var pageFiles embed.FS

var pageTemplate = template.Must(template.ParseFS(pageFiles, "page/index.html"))

// pageData is what the page shows before its script takes over.
type pageData struct {
	State   contracts.Snapshot
	Version string
	Crew    string
	Permit  bool // this browser holds the operator credential
	Needs   []pageNeed
	Names   map[string]string
	Tasks   map[string]string
}

// pageNeed is something that waits for a person: an entry of GET /v1/needs.
type pageNeed struct {
	Ref     string         `json:"ref"` // of the decision, the artifact, the project (plan) or the agent (elsewhere)
	Kind    model.NeedKind `json:"kind"`
	Title   string         `json:"title"`
	Do      string         `json:"do"` // what the person should do
	AgentID string         `json:"agent_id,omitzero"`
	Project string         `json:"project,omitzero"` // its title, if there are several projects
	Since   int64          `json:"since"`
	Until   int64          `json:"until,omitzero"`
}

// needsOf lists what waits for a person, most urgent first.
func needsOf(s *contracts.Snapshot) []pageNeed {
	list := []pageNeed{}
	rows := model.Rows{Agents: s.Agents, Projects: s.Projects, Tasks: s.Tasks, Artifacts: s.Artifacts, Decisions: s.Decisions}
	for _, n := range rows.Needs() {
		do := model.NeedWords(n.Kind)
		if n.Kind == model.NeedElsewhere {
			do = model.AnswerThere(rows.Agent(n.Ref))
		}
		list = append(list, pageNeed{n.Ref, n.Kind, n.Title, do, n.AgentID, rows.NeedProject(n), n.Since, n.Until})
	}
	return list
}

// serveNeeds is GET /v1/needs.
func (s *Server) serveNeeds(w http.ResponseWriter, _ *http.Request) {
	state := s.state()
	gate.Answer(w, http.StatusOK, struct {
		Seq   uint64     `json:"seq"`
		Needs []pageNeed `json:"needs"`
	}{state.Seq, needsOf(&state)})
}

// servePage is the office as text: readable by people, screen readers and
// browsers without script.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) {
	data := pageData{State: s.state(), Version: s.cfg.Version, Crew: s.cfg.Crew, Permit: gate.PrincipalFrom(r).Permit,
		Names: map[string]string{}, Tasks: map[string]string{}}
	for _, a := range data.State.Agents {
		data.Names[a.AgentID] = a.Name
	}
	for _, t := range data.State.Tasks {
		data.Tasks[t.TaskID] = t.Title
	}
	data.Needs = needsOf(&data.State)
	var body bytes.Buffer
	if err := pageTemplate.Execute(&body, data); err != nil {
		s.cfg.Log.Error("the page could not be written", "error", err)
		gate.Refuse(w, http.StatusInternalServerError, contracts.CodeInternal, "the page could not be written; the state is at /v1/state")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(body.Bytes())
}

var pageTypes = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}

// servePageFile serves the script and the style; the mux names both.
func servePageFile(w http.ResponseWriter, r *http.Request) {
	body, err := pageFiles.ReadFile("page" + r.URL.Path)
	if err != nil {
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "there is no such file")
		return
	}
	serveBytes(w, r, pageTypes[path.Ext(r.URL.Path)], body)
}
