package agui

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// resultText returns a result for a tool message: text unchanged, everything else as JSON.
func resultText(v jsontext.Value) string {
	var text string
	if v.Kind() == '"' && json.Unmarshal(v, &text) == nil {
		return text
	}
	return string(v)
}

func textOf(v jsontext.Value) string {
	var r struct {
		Text string `json:"text"`
	}
	if v.Kind() != '{' || json.Unmarshal(v, &r) != nil {
		return ""
	}
	return r.Text
}

func custom(name string, value jsontext.Value) Event {
	return Event{Type: Custom, Name: name, Value: value}
}

// encoded returns v as JSON, with invalid UTF-8 replaced.
func encoded(v any) jsontext.Value {
	b, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return jsontext.Value(strconv.Quote("value cannot be encoded"))
	}
	return b
}

func textMembers(pairs ...string) jsontext.Value {
	members := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		members[pairs[i]] = pairs[i+1]
	}
	b, _ := json.Marshal(members, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	return b
}
