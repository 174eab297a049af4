package contracts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/suggest"
)

// ExplainJSONError explains why JSON could not be decoded, without using Go terms. member is the
// path of the member that could not be decoded, or "" for the whole input.
func ExplainJSONError(err error) (member, why string) {
	var syntax *jsontext.SyntacticError
	var other *json.SemanticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "", "unexpected end"
	case errors.As(err, &syntax):
		return "", fmt.Sprintf("at byte %d: %v", syntax.ByteOffset, syntax.Err)
	case errors.As(err, &other):
		path := slices.Collect(other.JSONPointer.Tokens())
		if last := len(path) - 1; last >= 0 && errors.Is(err, json.ErrUnknownName) {
			keys := keysOf(other.GoType)
			hint := "use " + strings.Join(keys, ", ")
			if near := suggest.Nearest(path[last], keys); len(near) > 0 {
				hint = fmt.Sprintf("did you mean %s?", strings.Join(near, " or "))
			}
			return strings.Join(path[:last], "."), fmt.Sprintf("unknown key %q; %s", path[last], hint)
		}
		switch {
		case errors.Is(other.Err, strconv.ErrRange):
			why = "the number is out of range"
		case other.GoType == reflect.TypeFor[time.Time]() && other.JSONKind == '"':
			why = "use a time such as 2026-01-02T15:04:05Z"
		case other.GoType == reflect.TypeFor[[]byte]() && other.JSONKind == '"':
			why = "it is not valid base64"
		default:
			why = fmt.Sprintf("got %s, want %s", JSONKindName(other.JSONKind), kindFor(other.GoType))
		}
		return strings.Join(path, "."), why
	}
	return "", "it cannot be decoded"
}

// JSONFileError returns an error that explains why a file could not be decoded, with the number of
// the line at fault.
func JSONFileError(content []byte, err error) error {
	var syntax *jsontext.SyntacticError
	var other *json.SemanticError
	at := int64(len(content))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("the JSON ends too early, on line %d", lineAt(content, at))
	case errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName):
		return fmt.Errorf("line %d: duplicate key %q", lineAt(content, syntax.ByteOffset), syntax.JSONPointer.LastToken())
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d is not valid JSON: %w", lineAt(content, syntax.ByteOffset), syntax.Err)
	case errors.As(err, &other):
		at = other.ByteOffset
	}
	member, why := ExplainJSONError(err)
	if member != "" {
		why = member + ": " + why
	}
	return fmt.Errorf("line %d: %s", lineAt(content, at), why)
}

func lineAt(content []byte, offset int64) int {
	return bytes.Count(content[:min(offset, int64(len(content)))], []byte("\n")) + 1
}

// keysOf returns the keys of the JSON object that a struct type is decoded from.
func keysOf(t reflect.Type) (keys []string) {
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			keys = append(keys, name)
		}
	}
	return keys
}

// JSONKindName returns the name of a kind of JSON value, with its article: "an object".
func JSONKindName(k jsontext.Kind) string {
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
	case t.Kind() == reflect.String, t == reflect.TypeFor[time.Time](), t == reflect.TypeFor[[]byte]():
		return "a string"
	case t.Kind() == reflect.Struct, t.Kind() == reflect.Map:
		return "an object"
	case t.Kind() == reflect.Slice:
		return "an array"
	case t.Kind() == reflect.Bool:
		return "a boolean"
	case t.Kind() == reflect.Float64:
		return "a number"
	}
	return "an integer"
}
