package contracts

import (
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// fill sets every field of v to a value from the field's schema, such as the first value of an enum
// or an example, or else to a value of the field's Go type. If the schema describes another type,
// the later validation fails.
func fill(t *testing.T, v reflect.Value, s *jsonschema.Schema) {
	t.Helper()
	s = deref(s)
	if v.Type() == reflect.TypeFor[jsontext.Value]() {
		v.Set(reflect.ValueOf(jsontext.Value(`{"any":["thing"]}`)))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), s)
	case reflect.Struct:
		fillStruct(t, v, s)
	case reflect.Slice:
		if s.Items2020 == nil {
			t.Fatalf("%s has no items in the schema at %s", v.Type(), s.Location)
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(t, v.Index(i), s.Items2020)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i), s.Items2020)
		}
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]any{"tone": "friendly"}))
	case reflect.Interface:
		v.Set(reflect.ValueOf("anything"))
	case reflect.String:
		v.SetString(sample(s))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint64:
		v.SetUint(1)
	case reflect.Float64:
		v.SetFloat(1.5)
	default:
		t.Fatalf("no sample for %s", v.Type())
	}
}

func fillStruct(t *testing.T, v reflect.Value, s *jsonschema.Schema) {
	t.Helper()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			fillStruct(t, v.Field(i), s)
		case name == "-":
		case s.Properties[name] == nil:
			t.Errorf("%s.%s: the schema at %s has no %q", v.Type(), f.Name, s.Location, name)
		default:
			fill(t, v.Field(i), s.Properties[name])
		}
	}
}

func sample(s *jsonschema.Schema) string {
	for len(s.AnyOf) > 0 {
		s = deref(s.AnyOf[0])
	}
	switch {
	case s.Const != nil:
		return (*s.Const).(string)
	case s.Enum != nil:
		return s.Enum.Values[0].(string)
	case len(s.Examples) > 0:
		return s.Examples[0].(string)
	case s.Pattern != nil && strings.Contains(s.Pattern.String(), "{64}"):
		return strings.Repeat("a", 64)
	}
	return "text"
}
