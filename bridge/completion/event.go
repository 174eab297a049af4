package completion

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Encode returns part of an answer as JSON. Invalid UTF-8 in an agent's text is replaced.
func Encode(v any) ([]byte, error) {
	return json.Marshal(v, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
}

// Event returns v as a server-sent event of type kind.
func Event(kind string, v any) []byte {
	body, _ := Encode(v) // cannot fail: events consist of strings and numbers
	return append(append([]byte("event: "+kind+"\ndata: "), body...), "\n\n"...)
}
