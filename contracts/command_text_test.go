package contracts

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// WithTexts changes all text that a person types and leaves ids unchanged. Every new field must be
// text or an id.
func TestWithTexts(t *testing.T) {
	enough := jsontext.Value(`{"text":"x","choice":"x","instructions":"x"}`) // the required strings
	mark := func(s string) string { return strings.ReplaceAll(s, "x", "X") }
	for name, decode := range commandDecoders {
		d, refusal := decode(enough, "")
		if refusal != nil {
			t.Fatalf("%s: %v", name, refusal)
		}
		data := reflect.New(reflect.TypeOf(d)).Elem()
		for i := range data.NumField() {
			fillTexts(t, data.Type().Field(i), data.Field(i))
		}
		before := fmt.Sprintf("%+v", data)
		changed := reflect.ValueOf(WithTexts(data.Interface().(CommandData), mark))
		for i := range data.NumField() {
			field := data.Type().Field(i)
			was, is := fmt.Sprintf("%+v", data.Field(i)), fmt.Sprintf("%+v", changed.Field(i))
			if want := mark(was); isID(field) && is != was || !isID(field) && is != want {
				t.Errorf("%s.%s: %s became %s; WithTexts must change text and keep ids", name, field.Name, was, is)
			}
		}
		if after := fmt.Sprintf("%+v", data); after != before {
			t.Errorf("%s: the original data became %s", name, after)
		}
	}
}

// isID reports whether a field contains an id or a value of a named type, such as a status.
func isID(f reflect.StructField) bool {
	member, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	named := f.Type.Kind() == reflect.String && f.Type != reflect.TypeFor[string]()
	return named || strings.HasSuffix(member, "_id") || slices.Contains([]string{"to", "session", "repo", "path", "name", "target", "node", "remote", "found"}, member)
}

// fillTexts sets sample text in every field that can contain text.
func fillTexts(t *testing.T, f reflect.StructField, v reflect.Value) {
	t.Helper()
	switch f.Type {
	case reflect.TypeFor[[]string]():
		v.Set(reflect.ValueOf([]string{"x", "xx"}))
	case reflect.TypeFor[map[string]any]():
		v.Set(reflect.ValueOf(map[string]any{"ax": "x", "n": 1.0, "deep": []any{map[string]any{"b": "x"}}}))
	case reflect.TypeFor[[]any]():
		v.Set(reflect.ValueOf([]any{"x", map[string]any{"b": []any{"x"}}}))
	case reflect.TypeFor[bool](), reflect.TypeFor[Vec3](), reflect.TypeFor[*Vec3]():
	default:
		if f.Type.Kind() != reflect.String {
			t.Fatalf("%s has the type %v: add a sample text for it here", f.Name, f.Type)
		}
		v.SetString("x")
	}
}
