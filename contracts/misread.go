package contracts

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Misread explains a JSON decoding error without Go terms. member is the path of the member that
// could not be decoded, or "" for the whole input.
func Misread(err error) (member, why string) {
	var syntax *jsontext.SyntacticError
	var other *json.SemanticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "", "unexpected end"
	case errors.As(err, &syntax):
		return "", fmt.Sprintf("at byte %d: %v", syntax.ByteOffset, syntax.Err)
	case errors.As(err, &other):
		path := []string{}
		for part := range other.JSONPointer.Tokens() {
			path = append(path, part)
		}
		return strings.Join(path, "."), fmt.Sprintf("got %s, want %s", KindName(other.JSONKind), kindFor(other.GoType))
	}
	return "", "it cannot be decoded"
}

// KindName returns the name of a kind of JSON value, with its article: "an object".
func KindName(k jsontext.Kind) string {
	switch k {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a boolean"
	}
	return "another value"
}

func kindFor(t reflect.Type) string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == nil:
		return "another value"
	case t.Kind() == reflect.Struct, t.Kind() == reflect.Map:
		return "an object"
	case t.Kind() == reflect.Slice:
		return "an array"
	case t.Kind() == reflect.String:
		return "a string"
	case t.Kind() == reflect.Bool:
		return "a boolean"
	}
	return "an integer"
}
