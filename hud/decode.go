package hud

import (
	"errors"
	"math"
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Lenient accepts invalid UTF-8 and duplicate names, as JavaScript does, because other programs may
// send both.
var Lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// Decode reads another program's JSON, whose format may change without notice. Members of an
// unexpected type are skipped, and their paths are returned in mismatched; the rest is kept.
// Decode returns an error only if the JSON is invalid or the value itself has the wrong type.
func Decode(data []byte, into any) (mismatched []string, err error) {
	err = json.Unmarshal(data, into, Lenient)
	var other *json.SemanticError
	if err == nil || !errors.As(err, &other) || other.JSONPointer == "" {
		return nil, err
	}
	reflect.ValueOf(into).Elem().SetZero() // start over
	t := tolerant{}
	err = json.Unmarshal(data, into, Lenient, json.WithUnmarshalers(json.UnmarshalFromFunc(t.read)))
	return t.mismatched, err
}

// tolerant decodes members of the expected type, and skips and lists the others.
type tolerant struct{ mismatched []string }

func (t *tolerant) read(in *jsontext.Decoder, into any) error {
	v, kind := reflect.ValueOf(into).Elem(), in.PeekKind()
	want := v.Type()
	if kind == 'n' || want == reflect.TypeFor[jsontext.Value]() {
		return errors.ErrUnsupported // use the default decoding
	}
	for want.Kind() == reflect.Pointer {
		want = want.Elem()
	}
	fits := true
	switch want.Kind() {
	case reflect.String:
		if v.Kind() == reflect.String && (kind == '0' || kind == 't' || kind == 'f') { // an id that was sent as a number
			text, err := in.ReadValue()
			v.SetString(string(text))
			return err
		}
		fits = kind == '"'
	case reflect.Bool:
		fits = kind == 't' || kind == 'f'
	case reflect.Int, reflect.Int64, reflect.Float64:
		if fits = kind == '0' || kind == '"'; fits && v.Kind() != reflect.Pointer {
			return t.number(in, v)
		}
	case reflect.Struct, reflect.Map:
		fits = kind == '{'
	case reflect.Slice:
		fits = kind == '['
	}
	if fits {
		return errors.ErrUnsupported
	}
	return t.skip(in)
}

// number reads a number, which may be inside a string, and drops the fraction if v is an integer.
func (t *tolerant) number(in *jsontext.Decoder, v reflect.Value) error {
	token, err := in.ReadToken()
	if err != nil {
		return err
	}
	n, bad := strconv.ParseFloat(token.String(), 64)
	switch {
	case bad == nil && v.CanFloat() && math.Abs(n) <= math.MaxFloat64: // not "NaN" in quotes
		v.SetFloat(n)
	case bad == nil && v.CanInt() && math.Abs(n) < 1<<53:
		v.SetInt(int64(n))
	default:
		t.mismatched = append(t.mismatched, string(in.StackPointer()))
	}
	return nil
}

func (t *tolerant) skip(in *jsontext.Decoder) error {
	if err := in.SkipValue(); err != nil {
		return err
	}
	t.mismatched = append(t.mismatched, string(in.StackPointer()))
	return nil
}
