package server

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/connect"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/openapi"
)

// The table of routes and its schemas match a real server.
func TestOpenAPI(t *testing.T) {
	cfg := Config{DataDir: t.TempDir(), RequireToken: true, Folder: t.TempDir(), Connect: connect.Config{Home: t.TempDir(), Getenv: func(string) string { return "" }}}
	r := startRig(t, cfg)
	owner := cfg.ownerToken(t)
	t.Run("every route is described", func(t *testing.T) { describedRoutes(t, r) })
	t.Run("roles are as described", func(t *testing.T) { describedRoles(t, r, owner) })
	t.Run("answers match their schemas", func(t *testing.T) { describedAnswers(t, r, owner) })
}

// described returns the description of every route.
func described(r *rig) []openapi.Route {
	return openapi.Routes(agents.Sources(agents.WithHooks(r.cfg.Adapters)))
}

func describedRoutes(t *testing.T, r *rig) {
	// The gate serves these itself.
	registered := append(r.mux.Patterns(), "GET "+gate.OpenPath, "GET "+gate.SignInPath, "POST "+gate.SignInPath, "POST "+gate.LinkPath)
	var rows []string
	for _, row := range described(r) {
		pattern := row.Method + " " + row.Path
		rows = append(rows, pattern)
		if !slices.Contains(registered, pattern) {
			t.Errorf("the table describes %s, which the server does not have", pattern)
		}
	}
	for _, pattern := range registered {
		if strings.Contains(pattern, " ") && !slices.Contains(rows, pattern) { // a pattern without a method only refuses requests
			t.Errorf("the table has no row for %s", pattern)
		}
	}
}

func describedRoles(t *testing.T, r *rig, owner string) {
	tokens := map[contracts.AccessRole]string{contracts.AccessOperator: owner}
	store, err := gate.OpenTokens(r.cfg.DataDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range []contracts.AccessRole{contracts.AccessViewer, contracts.AccessAgent, contracts.AccessOutpost} {
		_, secret, err := store.Create(gate.Token{Role: role, Name: "laptop"})
		if err != nil {
			t.Fatal(err)
		}
		tokens[role] = secret
	}
	for _, row := range described(r) {
		path := strings.NewReplacer("{$}", "", "{id...}", "x", "{path...}", "x", "{id}", "x", "{kind}", "x", "{agent}", "x").Replace(row.Path)
		if status := r.ask(t, row.Method, path, "", ""); (status == http.StatusUnauthorized) != (row.Access != openapi.Public) && path != gate.OpenPath {
			t.Errorf("%s %s without a credential: %d", row.Method, row.Path, status)
		}
		for role, token := range tokens {
			allowed := row.Access == openapi.Public || slices.Contains(row.Access.Roles(), role)
			if status := r.ask(t, row.Method, path, token, ""); (status == http.StatusForbidden) == allowed {
				t.Errorf("%s %s as %s: %d", row.Method, row.Path, role, status)
			}
		}
	}
}

// ask sends a request and returns the status, without waiting for the end of a stream.
func (r *rig) ask(t *testing.T, method, path, token, body string) int {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, "http://"+r.addr+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// describedAnswers lets the crew do some work, then checks the response of every JSON route against
// its schema.
func describedAnswers(t *testing.T, r *rig, owner string) {
	if err := os.WriteFile(filepath.Join(r.cfg.Folder, "notes.md"), []byte("# Notes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	v := r.dial(owner)
	v.command(contracts.CmdSubmitRequest, contracts.SubmitRequest{Text: "Write a launch note", AutoAssign: true})
	var asked, made contracts.Event
	v.untilEvent(func(e contracts.Event) bool {
		switch e.Name {
		case contracts.EventDecisionRequested:
			asked = e
		case contracts.EventArtifactCreated:
			made = e
		}
		return asked.Decision != nil && made.Artifact != nil
	})
	report := `{"type":"hud","event":"tool_start","id":"e1","correlationId":"c1","tool":"exec","args":{"command":"make"}}
{"type":"hud","event":"tool_end","id":"e2","correlationId":"c1","tool":"exec","result":{"ok":true,"exitCode":0}}`
	if status, body := r.send(t, "POST", "/v1/events?agent=titan", owner, report); status != http.StatusOK {
		t.Fatal(status, body)
	}
	_, page, _ := r.get("/v1/events?kind=hud", owner)
	shapes := answerSchemas(t, r)
	for _, c := range []struct{ method, route, path, body string }{
		{"GET", "/v1/state", "", ""},
		{"GET", "/v1/needs", "", ""},
		{"GET", "/v1/projects/{id}", "/v1/projects/" + made.Artifact.ProjectID, ""},
		{"GET", "/v1/tasks/{id}", "/v1/tasks/" + made.Artifact.TaskID, ""},
		{"GET", "/v1/artifacts/{id}", "/v1/artifacts/" + made.Artifact.ArtifactID, ""},
		{"GET", "/v1/decisions/{id}", "/v1/decisions/" + asked.Decision.DecisionID, ""},
		{"GET", "/v1/usage", "", ""},
		{"GET", "/v1/scene", "", ""},
		{"GET", "/v1/agents", "", ""},
		{"GET", "/v1/agents/{id}/explain", "/v1/agents/agent_titan/explain", ""},
		{"GET", "/v1/agents/{id}/explain", "/v1/agents/agent_bd/explain", ""},
		{"GET", "/v1/hud/{id}/result", "/v1/hud/" + toolEnd(t, page) + "/result", ""},
		{"GET", "/v1/files", "/v1/files?path=notes.md", ""},
		{"GET", "/v1/files/{path...}", "/v1/files/notes.md", ""},
		{"GET", "/v1/connect", "", ""},
		{"GET", "/v1/events", "", ""},
		{"POST", "/v1/events", "", `{"name":"abstract.status","payload":"Building"}`},
		{"POST", "/v1/events", "/v1/events?dry_run=1", `[{"name":"abstract.status","payload":"Building"},{"name":"nonsense"}]`},
		{"POST", "/v1/ui/{kind}", "/v1/ui/ask?agent=titan", `{"prompt":"Go on?","options":["yes","no"]}`},
		{"POST", "/v1/chat/completions", "", `{"model":"bullpen/agent_bd","messages":[{"role":"user","content":"Who is here?"}]}`},
		{"POST", "/v1/responses", "", `{"model":"bullpen/agent_bd","input":"Who is here?"}`},
		{"POST", "/v1/messages", "", `{"model":"bullpen/agent_bd","max_tokens":100,"messages":[{"role":"user","content":"Who is here?"}]}`},
		{"POST", "/v1/messages/count_tokens", "", `{"model":"bullpen/agent_bd","messages":[{"role":"user","content":"Who is here?"}]}`},
		{"GET", "/v1/models", "", ""},
		{"GET", "/v1/models/{id...}", "/v1/models/bullpen/agent_bd", ""},
		{"GET", "/v1/verify", "", ""},
		{"POST", "/v1/redact", "", `{"seqs":[1],"reason":"a test","dry_run":true}`},
		{"GET", "/healthz", "", ""},
		{"GET", "/readyz", "", ""},
		{"GET", "/v1/openapi.json", "", ""},
		{"POST", "/v1/link", "", ""},
	} {
		if c.path == "" {
			c.path = c.route
		}
		status, body := r.send(t, c.method, c.path, owner, c.body)
		if err := shapes[c.method+" "+c.route+" 200"].Validate(decoded(t, body)); err != nil || status != http.StatusOK {
			t.Errorf("%s %s: %d %v\n%.2000s", c.method, c.path, status, err, body)
		}
	}
	for path, route := range map[string]string{"/v1/tasks/task_none": "GET /v1/tasks/{id} 4XX", "/v1/models/none": "GET /v1/models/{id...} 4XX", "/v1/usage?days=x": "GET /v1/usage 4XX"} {
		_, body := r.send(t, "GET", path, owner, "")
		if err := shapes[route].Validate(decoded(t, body)); err != nil {
			t.Errorf("%s: %v\n%s", path, err, body)
		}
	}
}

// toolEnd finds the id of a tool_end in a page of events.
func toolEnd(t *testing.T, body string) string {
	var page struct {
		Events []struct {
			ID      string        `json:"id"`
			Payload contracts.HUD `json:"payload"`
		} `json:"events"`
	}
	if err := json.Unmarshal([]byte(body), &page); err != nil {
		t.Fatal(err)
	}
	for _, e := range page.Events {
		if e.Payload.Event == contracts.HUDToolEnd && e.Payload.AgentID == "agent_titan" {
			return e.ID
		}
	}
	t.Fatalf("no tool_end in %s", body)
	return ""
}

func (r *rig) send(t *testing.T, method, path, token, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+r.addr+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

func decoded(t *testing.T, body string) any {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(body), &value); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return value
}

// answerSchemas compiles the schemas of all JSON responses, by method, path and status.
// They are strict: an undescribed property is an error.
func answerSchemas(t *testing.T, r *rig) map[string]*jsonschema.Schema {
	t.Helper()
	doc := decoded(t, string(openapi.JSON(described(r)))).(map[string]any)
	parts := doc["components"].(map[string]any)["schemas"].(map[string]any)
	open := map[string]bool{}
	for _, schema := range parts {
		for _, base := range list(schema, "allOf") {
			if ref, ok := base.(map[string]any)["$ref"].(string); ok {
				open[strings.TrimPrefix(ref, "#/components/schemas/")] = true
			}
		}
	}
	for name, schema := range parts {
		if !open[name] {
			strict(schema)
		}
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("doc.json", doc); err != nil {
		t.Fatal(err)
	}
	out := map[string]*jsonschema.Schema{}
	for _, row := range described(r) {
		path := strings.NewReplacer("{$}", "", "...}", "}", "/", "~1").Replace(row.Path)
		for _, status := range []string{"200", "4XX"} {
			if status == "200" && row.Answer == "" {
				continue
			}
			at := "doc.json#/paths/" + path + "/" + strings.ToLower(row.Method) + "/responses/" + status + "/content/application~1json/schema"
			schema, err := compiler.Compile(at)
			if err != nil {
				t.Fatal(err)
			}
			out[row.Method+" "+row.Path+" "+status] = schema
		}
	}
	return out
}

func list(schema any, key string) []any {
	members, _ := schema.(map[string]any)
	items, _ := members[key].([]any)
	return items
}

// strict forbids undescribed properties at every depth of a schema.
func strict(value any) {
	switch v := value.(type) {
	case map[string]any:
		_, described := v["properties"]
		_, stated := v["additionalProperties"]
		if described && !stated {
			v["unevaluatedProperties"] = false
		}
		for _, member := range v {
			strict(member)
		}
	case []any:
		for _, item := range v {
			strict(item)
		}
	}
}
