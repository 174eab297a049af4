package openapi

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
)

var update = flag.Bool("update", false, "write the reference pages")

// routes are the routes of an office with all vendors.
var routes = Routes(agents.Sources(agents.WithHooks(all.Adapters)))

const committed = "../docs/reference/openapi.json"

// docs/reference/openapi.json is the document that the server serves. The web tests validate that
// file against the official schema of OpenAPI 3.1.
func TestCommittedDocumentIsCurrent(t *testing.T) {
	if *update {
		if err := os.WriteFile(committed, JSON(routes), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(committed)
	if err != nil || !bytes.Equal(have, JSON(routes)) {
		t.Fatalf("%s is stale (%v): run `make reference`", committed, err)
	}
}

// Every component compiles, and every reference resolves.
func TestSchemasCompile(t *testing.T) {
	compiler, doc := compile(t)
	for name := range doc["components"].(object)["schemas"].(object) {
		if _, err := compiler.Compile("doc.json#/components/schemas/" + name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Every route has a unique operation id, a summary, an access rule, a tag and a response.
func TestRoutesAreComplete(t *testing.T) {
	verb := regexp.MustCompile(`^[A-Z][a-z]+ `)
	ids := map[string]bool{}
	for _, r := range routes {
		id := operationID(r)
		switch {
		case ids[id]:
			t.Errorf("%s %s: the operation id %s is taken", r.Method, r.Path, id)
		case !verb.MatchString(r.Summary) || strings.HasSuffix(r.Summary, "."):
			t.Errorf("%s %s: the summary %q is not a verb and its object", r.Method, r.Path, r.Summary)
		case r.Access.Doc() == "" || r.Tag == "":
			t.Errorf("%s %s: access or tag is missing", r.Method, r.Path)
		case r.Answer == "" && r.Media == "" && r.Status == 0:
			t.Errorf("%s %s: the response is missing", r.Method, r.Path)
		}
		ids[id] = true
	}
}

func compile(t *testing.T) (*jsonschema.Compiler, object) {
	t.Helper()
	doc := object{}
	if err := json.Unmarshal(JSON(routes), &doc); err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("doc.json", doc); err != nil {
		t.Fatal(err)
	}
	return compiler, doc
}
