package contracts

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const schemaBase = "https://bullpen.dev/contracts/schemas/"

// newCompiler returns a compiler that has all embedded schemas and loads nothing else.
func newCompiler() (*jsonschema.Compiler, error) {
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{})
	names, err := fs.Glob(files, "schemas/*.schema.json")
	if err != nil {
		return nil, fmt.Errorf("list embedded schemas: %w", err)
	}
	for _, name := range names {
		b, err := files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read embedded schema %s: %w", name, err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			return nil, fmt.Errorf("decode embedded schema %s: %w", name, err)
		}
		if err := c.AddResource(schemaBase+strings.TrimPrefix(name, "schemas/"), doc); err != nil {
			return nil, fmt.Errorf("add embedded schema %s: %w", name, err)
		}
	}
	return c, nil
}

// junk lists the values that replace each value of an example, one after another.
var junk = []any{nil, true, 1.5, -1.0, 1e300, "", "x", strings.Repeat("ä", 5000), "agent_a", []any{}, []any{1.0, "x"}, map[string]any{}}

// TestRulesAgreeWithAValidator checks that our rules accept exactly what a complete JSON Schema
// validator accepts. It applies every definition to every part of every example, and every message
// schema to examples in which one value is missing or replaced.
func TestRulesAgreeWithAValidator(t *testing.T) {
	book, err := readSchemas()
	if err != nil {
		t.Fatal(err)
	}
	reference, agree := compiler(t), 0
	hold := func(ref string) func(v any) {
		ours, theirs := book.must(ref), compile(t, reference, ref)
		return func(v any) {
			var found complaints
			ours.check(v, &found)
			if err := theirs.Validate(v); (err == nil) != (found == nil) {
				b, _ := json.Marshal(v)
				t.Errorf("%s, %.200s: we find %v, the validator %v", ref, b, found, err)
			}
			agree++
		}
	}
	parts := map[string]any{}
	for i, v := range junk {
		parts[fmt.Sprint(i)] = v
	}
	eachExample(t, "examples", func(t *testing.T, name string, raw []byte) {
		var v any
		if json.Unmarshal(raw, &v) == nil {
			collect(v, parts)
		}
	})
	keys := slices.Sorted(maps.Keys(parts))
	for file, r := range book {
		for def := range r.Defs {
			holds := hold(file + "#/$defs/" + def)
			for i := len(def) % 31; i < len(keys); i += 31 {
				holds(parts[keys[i]])
			}
		}
	}
	for file, typ := range map[string]string{"hello": "hello", "subscribe": "subscribe", "commands": "command", "events": "event", "hud": "hud", "replies": "error"} {
		holds := hold(file + ".schema.json")
		eachExample(t, "examples/valid/"+typ, func(t *testing.T, name string, raw []byte) {
			var v any
			if err := json.Unmarshal(raw, &v); err != nil {
				t.Fatal(err)
			}
			holds(v)
			mutate(v, func() { holds(v) })
		})
	}
	if agree < 10_000 {
		t.Errorf("only %d values were compared", agree)
	}
}

// collect adds v and every value inside v, each once, to the set that into holds.
func collect(v any, into map[string]any) {
	b, _ := json.Marshal(v, json.Deterministic(true))
	into[string(b)] = v
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			collect(member, into)
		}
	case []any:
		for _, item := range v {
			collect(item, into)
		}
	}
}

// mutate changes one value in v at a time and calls try after each change: it removes the value,
// then replaces it with each kind of junk.
func mutate(v any, try func()) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range maps.Clone(v) {
			mutate(member, try)
			delete(v, name)
			try()
			for _, other := range junk {
				v[name] = other
				try()
			}
			v[name] = member
		}
	case []any:
		for i, item := range v[:min(len(v), 2)] {
			mutate(item, try)
			v[i] = junk[i]
			try()
			v[i] = item
		}
	}
}

// A schema with a keyword that we do not check fails to load.
func TestRulesRejectOtherKeywords(t *testing.T) {
	for name, text := range map[string]string{
		"unknown keyword":  `{"properties":{"a":{"format":"email"}}}`,
		"closed object":    `{"additionalProperties":false}`,
		"broken reference": `{"items":{"$ref":"#/$defs/none"}}`,
		"broken pattern":   `{"pattern":"["}`,
		"compares objects": `{"const":{}}`,
	} {
		book := ruleBook{}
		err := book.add("a", []byte(text))
		if err == nil {
			err = book.link()
		}
		if err == nil {
			t.Errorf("%s: %s was accepted", name, text)
		}
	}
}

// Validating a valid message does not allocate.
func TestRulesDoNotAllocate(t *testing.T) {
	tree, refusal := readTree([]byte(`{"name":"submit_request","data":{"text":"Hello","constraints":{"a":1},"attachments":["b"]}}`))
	if refusal != nil {
		t.Fatal(refusal)
	}
	r := inboundSchemas().payload[TypeCommand]
	if n := testing.AllocsPerRun(100, func() {
		if refusal := check(r, tree, "payload"); refusal != nil {
			t.Fatal(refusal)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
