package server

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"path"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/view"
)

//go:embed page
var pageFiles embed.FS

var pageTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.ParseFS(pageFiles, "page/index.html")) })

// pageData is what the page shows before its script takes over.
type pageData struct {
	State   contracts.Snapshot
	Version string
	Crew    string
	Permit  bool // this browser holds the operator credential
	Needs   []view.Need
	Names   map[string]string
	Tasks   map[string]string
}

// servePage is the office as text: readable by people, screen readers and
// browsers without script.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) {
	data := pageData{State: s.view.State(), Version: s.cfg.Version, Crew: s.cfg.Crew, Permit: gate.PrincipalFrom(r).Permit,
		Names: map[string]string{}, Tasks: map[string]string{}}
	for _, a := range data.State.Agents {
		data.Names[a.AgentID] = a.Name
	}
	for _, t := range data.State.Tasks {
		data.Tasks[t.TaskID] = t.Title
	}
	data.Needs = view.Needs(&data.State)
	var body bytes.Buffer
	if err := pageTemplate().Execute(&body, data); err != nil {
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
