package web

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

// Page is what the page shows before its script takes over.
type Page struct {
	State   contracts.Snapshot
	Version string
	Crew    string
	Permit  bool // this browser holds the operator credential
}

// Serve answers with the office as text: readable by people, screen readers and
// browsers without script.
func (p Page) Serve(w http.ResponseWriter) error {
	names, tasks := map[string]string{}, map[string]string{}
	for _, a := range p.State.Agents {
		names[a.AgentID] = a.Name
	}
	for _, t := range p.State.Tasks {
		tasks[t.TaskID] = t.Title
	}
	var body bytes.Buffer
	err := pageTemplate().Execute(&body, struct {
		Page
		Needs        []view.Need
		Names, Tasks map[string]string
	}{p, view.Needs(&p.State), names, tasks})
	if err != nil {
		gate.Refuse(w, http.StatusInternalServerError, contracts.CodeInternal, "the page could not be written; the state is at /v1/state")
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(body.Bytes())
	return nil
}

var pageTypes = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}

// ServePageFile serves the script and the style of the page by their names.
func ServePageFile(w http.ResponseWriter, r *http.Request) {
	body, err := pageFiles.ReadFile("page" + r.URL.Path)
	if err != nil {
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "no such file")
		return
	}
	ServeBytes(w, r, pageTypes[path.Ext(r.URL.Path)], body)
}
