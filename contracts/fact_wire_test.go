package contracts

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Facts of every kind keep all their members when they are encoded and decoded.
func TestFactsSurviveTheWire(t *testing.T) {
	for name, decode := range factDecoders {
		zero, err := decode([]byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		v := reflect.New(reflect.TypeOf(zero)).Elem()
		fillAll(v, 0)
		want := v.Interface().(Fact)
		b, err := EncodeFact(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeFact(b)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, b)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	for _, bad := range []string{`{"fact":"no_such","data":{}}`, `{"fact":"run_began","data":{"new":1}}`, `{}`, `[`} {
		if f, err := DecodeFact([]byte(bad)); err == nil {
			t.Errorf("%s was decoded as %v", bad, f)
		}
	}
}

// fillAll sets every member to a non-zero value.
func fillAll(v reflect.Value, depth int) {
	if v.Type() == reflect.TypeFor[[]byte]() || v.Type().String() == "jsontext.Value" {
		v.SetBytes([]byte(`{"a":1}`))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint64:
		v.SetUint(7)
	case reflect.Float64:
		v.SetFloat(7.5)
	case reflect.Pointer:
		if depth < 6 {
			v.Set(reflect.New(v.Type().Elem()))
			fillAll(v.Elem(), depth+1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillAll(v.Index(0), depth+1)
	case reflect.Array:
		for i := range v.Len() {
			fillAll(v.Index(i), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fillAll(v.Field(i), depth+1)
			}
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillAll(key, depth+1)
		fillAll(value, depth+1)
		v.SetMapIndex(key, value)
	}
}
