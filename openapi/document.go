package openapi

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

type object = map[string]any

// JSON returns the OpenAPI document for the routes.
func JSON(routes []Route) []byte {
	raw, err := json.Marshal(document(routes), json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		panic(err) // the table and the schemas are part of the program
	}
	return append(raw, '\n')
}

// Handler handles GET /v1/openapi.json.
func Handler(routes []Route) http.HandlerFunc {
	text := sync.OnceValue(func() []byte { return JSON(routes) })
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = w.Write(text())
	}
}

func document(routes []Route) object {
	b := newBundle()
	paths := object{}
	for _, r := range routes {
		path := b.path(r)
		item, _ := paths[path].(object)
		if item == nil {
			item = object{}
			paths[path] = item
		}
		item[strings.ToLower(r.Method)] = b.operation(r)
	}
	return object{
		"openapi": "3.1.1",
		"info": object{
			"title": "Bullpen", "version": "1", "license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
			"description": "The HTTP API of a Bullpen office. Live data and commands go over the WebSocket at /ws/world, which docs/PROTOCOL.md describes.",
		},
		"servers": []any{object{"url": "/"}},
		"tags":    tags(routes),
		"paths":   paths,
		"components": object{
			"schemas": b.components(),
			"securitySchemes": object{
				"token":  object{"type": "http", "scheme": "bearer", "description": "A token from `bullpen token create`, or the owner token. If loopback access is open, most routes do not need one."},
				"cookie": object{"type": "apiKey", "in": "cookie", "name": "bullpen_s_4777", "description": "The session of a signed-in browser. The cookie's name ends with the office's port; with TLS it starts with `__Host-`."},
			},
		},
		"security": []any{object{"token": []any{}}, object{"cookie": []any{}}, object{}},
	}
}

func tags(routes []Route) (list []any) {
	seen := map[string]bool{}
	for _, r := range routes {
		if !seen[r.Tag] {
			seen[r.Tag] = true
			list = append(list, object{"name": r.Tag})
		}
	}
	return list
}

// path returns the path of a route in OpenAPI's notation.
func (b *bundle) path(r Route) string {
	return strings.NewReplacer("{$}", "", "...}", "}").Replace(r.Path)
}

func (b *bundle) operation(r Route) object {
	op := object{
		"operationId": operationID(r), "summary": r.Summary, "tags": []any{r.Tag},
		"description": "Access: " + r.Access.Doc() + ".", "responses": b.responses(r),
	}
	if r.Access == Public {
		op["security"] = []any{}
	}
	if r.Access == Owner || r.Access == Connect {
		op["security"] = []any{object{"token": []any{}}, object{"cookie": []any{}}}
	}
	var params []any
	for _, name := range pathParams(r.Path) {
		params = append(params, object{"name": name, "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, p := range r.Params {
		params = append(params, object{"name": p.Name, "in": "query", "description": p.Doc, "schema": object{"type": p.Type}})
	}
	if params != nil {
		op["parameters"] = params
	}
	if r.Body != "" {
		op["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": b.use(r.Body)}}}
	}
	return op
}

func (b *bundle) responses(r Route) object {
	status := r.Status
	if status == 0 {
		status = http.StatusOK
	}
	answer := object{"description": http.StatusText(status)}
	switch {
	case r.Answer != "":
		answer["content"] = object{"application/json": object{"schema": b.use(r.Answer)}}
	case r.Media != "" && status == http.StatusOK:
		answer["content"] = object{r.Media: object{}}
	}
	problem := cmp.Or(r.Refusal, own+"problem")
	refusal := object{"description": "The request was refused.", "content": object{"application/json": object{"schema": b.use(problem)}}}
	out := object{strconv.Itoa(status): answer, "4XX": refusal, "5XX": refusal}
	if r.Path == "/readyz" {
		out["503"] = object{"description": "The office is not ready; `reasons` explains why.", "content": answer["content"]}
	}
	return out
}

// operationID returns the method followed by the words of the path, for example getV1Events.
func operationID(r Route) string {
	id := strings.ToLower(r.Method)
	for _, word := range strings.FieldsFunc(r.Path, func(c rune) bool { return !('a' <= c && c <= 'z' || '0' <= c && c <= '9') }) {
		id += strings.ToUpper(word[:1]) + word[1:]
	}
	if id == "get" {
		return "getClient"
	}
	return id
}

// pathParams returns the names in a path's braces.
func pathParams(path string) (names []string) {
	for part := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok && part != "{$}" {
			names = append(names, strings.TrimSuffix(strings.TrimSuffix(name, "}"), "..."))
		}
	}
	return names
}

// Mux is a ServeMux that remembers its patterns.
type Mux struct {
	http.ServeMux
	patterns map[string]bool
}

// HandleFunc registers a handler and remembers its pattern.
func (m *Mux) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	m.Handle(pattern, http.HandlerFunc(h))
}

// Handle registers a handler and remembers its pattern.
func (m *Mux) Handle(pattern string, h http.Handler) {
	if m.patterns == nil {
		m.patterns = map[string]bool{}
	}
	m.patterns[pattern] = true
	m.ServeMux.Handle(pattern, h)
}

// Patterns returns the registered patterns, sorted.
func (m *Mux) Patterns() []string { return slices.Sorted(maps.Keys(m.patterns)) }
