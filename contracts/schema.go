package contracts

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed schemas examples
var files embed.FS

// Files returns the files that the server publishes at /contracts/: schemas/*.schema.json and the
// example messages examples/{valid,invalid}/<type>/*.json.
func Files() fs.FS { return files }

// validators are the schemas that inbound messages are validated against.
type validators struct {
	envelope *rule
	payload  map[MessageType]*rule
	command  map[CommandName]*rule
}

// inboundSchemas returns the embedded schemas, which it loads only once. They are part of the
// binary, so a schema that cannot be loaded is a bug.
var inboundSchemas = sync.OnceValue(func() *validators {
	book, err := readSchemas()
	if err != nil {
		panic(err)
	}
	v := &validators{
		envelope: book.must("protocol-envelope.schema.json"),
		payload: map[MessageType]*rule{
			TypeHello:     book.must("hello.schema.json#/$defs/hello"),
			TypeSubscribe: book.must("subscribe.schema.json#/$defs/subscribe"),
			TypeCommand:   book.must("commands.schema.json#/$defs/command"),
			TypeChat:      book.must("chat.schema.json#/$defs/say"),
		},
		command: make(map[CommandName]*rule, len(commandDecoders)),
	}
	for name := range commandDecoders {
		v.command[name] = book.must("commands.schema.json#/$defs/" + string(name))
	}
	return v
})

// readSchemas loads every embedded schema.
func readSchemas() (ruleBook, error) {
	names, err := fs.Glob(files, "schemas/*.schema.json")
	if err != nil {
		return nil, fmt.Errorf("list embedded schemas: %w", err)
	}
	book := ruleBook{}
	for _, name := range names {
		raw, err := files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read embedded schema %s: %w", name, err)
		}
		if err := book.add(strings.TrimPrefix(name, "schemas/"), raw); err != nil {
			return nil, err
		}
	}
	return book, book.link()
}

// must returns the schema that ref refers to; it panics if there is none.
func (b ruleBook) must(ref string) *rule {
	r := b.find("", ref)
	if r == nil {
		panic("no schema " + ref)
	}
	return r
}

// check validates a decoded value against a schema. The Field of the refusal starts with base.
func check(r *rule, value any, base string) *Refusal {
	if refusal := checkCase(r, value); refusal != nil {
		if base != "" {
			refusal.Field = join(base, refusal.Field)
		}
		return refusal
	}
	var found complaints
	if r.check(value, &found); found != nil {
		return found.firstRefusal(base)
	}
	return nil
}

// checkCase rejects members whose name differs from a known name only in case ("Type"), because
// some JSON parsers would accept them and others would ignore them.
func checkCase(r *rule, value any) *Refusal {
	for r.target != nil && r.Properties == nil {
		r = r.target
	}
	switch v := value.(type) {
	case map[string]any:
		var first *Refusal
		for name, member := range v {
			refusal := checkMemberCase(r, name, member)
			if refusal != nil && (first == nil || refusal.Field < first.Field) {
				first = refusal
			}
		}
		return first
	case []any:
		if r.Items == nil {
			return nil
		}
		for i, item := range v {
			if refusal := checkCase(r.Items, item); refusal != nil {
				refusal.Field = joinField(strconv.Itoa(i), refusal.Field)
				return refusal
			}
		}
	}
	return nil
}

func checkMemberCase(r *rule, name string, member any) *Refusal {
	if p, ok := r.Properties[name]; ok {
		refusal := checkCase(p, member)
		if refusal != nil {
			refusal.Field = joinField(name, refusal.Field)
		}
		return refusal
	}
	for known := range r.Properties {
		if strings.EqualFold(known, name) {
			return RefuseField(clip(name), "member %q must be spelled %q", clip(name), known)
		}
	}
	return nil
}

// firstRefusal returns a refusal for the alphabetically first complaint, by field and then by text,
// so that the same input always produces the same result. Its Field starts with base.
func (c complaints) firstRefusal(base string) *Refusal {
	least := slices.MinFunc(c, func(a, b complaint) int {
		return cmp.Or(strings.Compare(a.field, b.field), strings.Compare(a.text, b.text))
	})
	field := least.field
	if base != "" {
		field = joinField(base, field)
	}
	return RefuseField(field, "%s %s", subject(field), least.text)
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func words(values []any) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = fmt.Sprint(v)
	}
	return strings.Join(parts, ", ")
}

// subject returns the name of a field for use in a sentence.
func subject(at string) string {
	if at == "" {
		return "the data"
	}
	return at
}

func join(base, name string) string {
	if base == "" {
		return name
	}
	return base + "." + name
}

// clip cleans and shortens a piece of the client's input so that an error message can quote it.
func clip(s string) string {
	s = CleanLine(s)
	if runes := []rune(s); len(runes) > limitQuote {
		return string(runes[:limitQuote]) + "…"
	}
	return s
}

const limitQuote = 64 // characters of the client's input in an error message
