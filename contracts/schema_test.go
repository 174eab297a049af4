package contracts

import (
	"bytes"
	"io/fs"
	"path"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestSchemasCompile checks that every schema and every definition in it is valid and has no broken
// reference, and that no schema forbids unknown members, because later versions add members
// (docs/protocol-compatibility-policy.md).
func TestSchemasCompile(t *testing.T) {
	c := compiler(t)
	names, err := fs.Glob(Files(), "schemas/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		raw, err := fs.ReadFile(Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		object := doc.(map[string]any)
		if got, want := object["$id"], schemaBase+path.Base(name); got != want {
			t.Errorf("%s has $id %v, want %s", name, got, want)
		}
		compile(t, c, path.Base(name))
		defs, _ := object["$defs"].(map[string]any)
		for def := range defs {
			compile(t, c, path.Base(name)+"#/$defs/"+def)
		}
		if bytes.Contains(raw, []byte(`"additionalProperties": false`)) || bytes.Contains(raw, []byte(`"unevaluatedProperties"`)) {
			t.Errorf("%s forbids unknown members", name)
		}
	}
}
