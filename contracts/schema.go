package contracts

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const schemaBase = "https://bullpen.dev/contracts/schemas/"

//go:embed schemas examples
var files embed.FS

// Files is what the server publishes at /contracts/: schemas/*.schema.json and
// the example messages examples/{valid,invalid}/<type>/*.json.
func Files() fs.FS { return files }

// validators are the compiled schemas that inbound messages are held against.
type validators struct {
	envelope *jsonschema.Schema
	payload  map[MessageType]*jsonschema.Schema
	command  map[CommandName]*jsonschema.Schema
}

// inbound compiles the embedded schemas once. They are part of the binary, so a
// schema that does not compile is a bug that every test would show.
var inbound = sync.OnceValue(func() *validators {
	c, err := newCompiler()
	if err != nil {
		panic(err)
	}
	v := &validators{
		envelope: c.MustCompile(schemaBase + "protocol-envelope.schema.json"),
		payload: map[MessageType]*jsonschema.Schema{
			TypeHello:     c.MustCompile(schemaBase + "hello.schema.json#/$defs/hello"),
			TypeSubscribe: c.MustCompile(schemaBase + "subscribe.schema.json#/$defs/subscribe"),
			TypeCommand:   c.MustCompile(schemaBase + "commands.schema.json#/$defs/command"),
			TypeChat:      c.MustCompile(schemaBase + "chat.schema.json#/$defs/say"),
		},
		command: make(map[CommandName]*jsonschema.Schema, len(commandDecoders)),
	}
	for name := range commandDecoders {
		v.command[name] = c.MustCompile(schemaBase + "commands.schema.json#/$defs/" + string(name))
	}
	return v
})

// newCompiler holds every embedded schema and loads nothing from anywhere else.
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

// check holds a decoded value against a schema. Fields of the refusal start
// with base.
func check(s *jsonschema.Schema, value any, base string) *Refusal {
	if r := checkCase(s, value, base); r != nil {
		return r
	}
	if err := s.Validate(value); err != nil {
		return schemaRefusal(err, base)
	}
	return nil
}

// checkCase refuses members that differ only by case from a known one ("Type"):
// one reader would ignore them and another would not.
func checkCase(s *jsonschema.Schema, value any, at string) *Refusal {
	for s.Ref != nil && s.Properties == nil {
		s = s.Ref
	}
	switch v := value.(type) {
	case map[string]any:
		var worst *Refusal
		for name, member := range v {
			r := checkMemberCase(s, name, member, at)
			if r != nil && (worst == nil || r.Field < worst.Field) {
				worst = r
			}
		}
		return worst
	case []any:
		if s.Items2020 == nil {
			return nil
		}
		for i, item := range v {
			if r := checkCase(s.Items2020, item, join(at, strconv.Itoa(i))); r != nil {
				return r
			}
		}
	}
	return nil
}

func checkMemberCase(s *jsonschema.Schema, name string, member any, at string) *Refusal {
	if p, ok := s.Properties[name]; ok {
		return checkCase(p, member, join(at, name))
	}
	for known := range s.Properties {
		if strings.EqualFold(known, name) {
			return RefuseField(join(at, clip(name)), "the member %q must be written %q", clip(name), known)
		}
	}
	return nil
}
