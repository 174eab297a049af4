package web

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"path"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/view"
)

//go:embed page
var pageFiles embed.FS

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("index.html").Funcs(pageWords).ParseFS(pageFiles, "page/index.html"))
})

// pageWords maps names to the template functions that return the labels of wire values. The labels
// come from tables that all clients share.
var pageWords = template.FuncMap{
	"role": model.RoleWords, "state": model.StateWords, "project": model.ProjectWords, "task": model.TaskWords, "artifact": model.ArtifactWords,
}

// scriptWords returns the shared label tables as JSON, for the page's script.
var scriptWords = sync.OnceValue(func() string {
	text, err := json.Marshal(map[string]any{
		"role": contracts.RoleWords, "state": contracts.AgentStateWords, "project": contracts.ProjectStatusWords,
		"task": contracts.TaskStatusWords, "artifact": contracts.ArtifactStatusWords, "event": contracts.EventWords,
	}, json.Deterministic(true))
	if err != nil {
		panic(err) // encoding tables of strings cannot fail
	}
	return string(text)
})

// Page is the data for the text page, as rendered before its script takes over.
type Page struct {
	State   contracts.Snapshot
	House   string // the label of the house
	Version string
	Crew    string
	Permit  bool // the browser has the operator credential
}

// studio is a row in the table of studios: the counts of a room, or of the house.
type studio struct {
	Label  string
	People int
	model.Tally
}

// studios returns the house and all rooms with their counts, or nil if there is only the house.
func (p Page) studios() []studio {
	if len(p.State.Rooms) == 0 {
		return nil
	}
	tallies := (&model.Rows{Agents: p.State.Agents}).Tallies()
	row := func(id, label string) studio {
		t := tallies[id]
		return studio{label, t.Working + t.Waiting + t.Needing + t.Free, t}
	}
	rows := []studio{row(model.House, p.House)}
	for _, r := range p.State.Rooms {
		rows = append(rows, row(r.RoomID, r.Label))
	}
	return rows
}

// Serve responds with the office as text, for screen readers and browsers without JavaScript.
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
		Studios      []studio
		Names, Tasks map[string]string
		Words        string
		Rehearses    string
	}{p, view.Needs(&p.State), p.studios(), names, tasks, scriptWords(), contracts.SayCrewRehearses})
	if err != nil {
		gate.Refuse(w, http.StatusInternalServerError, contracts.CodeInternal, "the page could not be rendered; the state is at /v1/state")
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(body.Bytes())
	return nil
}

var pageTypes = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}

// ServePageFile serves the text page's script and style sheet.
func ServePageFile(w http.ResponseWriter, r *http.Request) {
	body, err := pageFiles.ReadFile("page" + r.URL.Path)
	if err != nil {
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "no such file")
		return
	}
	ServeBytes(w, r, pageTypes[path.Ext(r.URL.Path)], body)
}
