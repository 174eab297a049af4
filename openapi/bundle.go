package openapi

import (
	_ "embed"
	"io/fs"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

//go:embed http.schema.json
var ownSchema []byte

// bundle collects the schemas that the document refers to. Each becomes a component, and references
// to it are rewritten.
type bundle struct {
	files map[string]object // by file name
	parts object            // components by name
}

func newBundle() *bundle {
	b := &bundle{files: map[string]object{}, parts: object{}}
	b.read("http.schema.json", ownSchema)
	names, _ := fs.Glob(contracts.Files(), "schemas/*.schema.json") // the pattern is valid
	for _, name := range names {
		raw, err := fs.ReadFile(contracts.Files(), name)
		if err != nil {
			panic(err)
		}
		b.read(strings.TrimPrefix(name, "schemas/"), raw)
	}
	return b
}

func (b *bundle) read(name string, raw []byte) {
	schema := object{}
	if err := json.Unmarshal(raw, &schema); err != nil {
		panic(name + ": " + err.Error())
	}
	b.files[name] = schema
}

func (b *bundle) components() object { return b.parts }

// use adds a schema, named as FILE or FILE#/$defs/NAME, and returns a reference to it.
func (b *bundle) use(ref string) object { return object{"$ref": b.add("", ref)} }

// add adds the target of a reference to the bundle, and returns the new reference. from is the file
// that contains the reference.
func (b *bundle) add(from, ref string) string {
	file, def, part := strings.Cut(ref, "#/$defs/")
	if file == "" {
		file = from
	}
	name := strings.TrimSuffix(file, ".schema.json")
	schema := b.files[file]
	if part {
		name += "." + def
		schema, _ = schema["$defs"].(object)[def].(object)
	}
	if schema == nil {
		panic("no schema " + ref + ", referenced by " + from)
	}
	if _, ok := b.parts[name]; !ok {
		b.parts[name] = object{} // lets a schema refer to itself
		b.parts[name] = b.rewrite(file, schema, part)
	}
	return "#/components/schemas/" + name
}

// rewrite copies a schema and points its references into the bundle.
func (b *bundle) rewrite(file string, value any, inner bool) any {
	switch v := value.(type) {
	case object:
		out := object{}
		for key, member := range v {
			ref, isRef := member.(string)
			switch {
			case key == "$ref" && isRef:
				out[key] = b.add(file, ref)
			case !inner && (key == "$id" || key == "$schema" || key == "$defs"): // these members belong to the file, not to the schema
			default:
				out[key] = b.rewrite(file, member, true)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = b.rewrite(file, item, true)
		}
		return out
	}
	return value
}
