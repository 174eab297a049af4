package completions

import (
	"fmt"
	"maps"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Request is one request to a model.
type Request struct {
	Model    string
	Messages []Message
	Usage    bool // request the call's usage; some endpoints reject this

	// Parameters are sent under their own names: temperature, response_format, tools and so on. Every
	// value must be encodable as JSON.
	Parameters map[string]any
}

// Message is one message of a conversation, as JSON.
type Message jsontext.Value

// Text returns a message with this role that contains only text.
func Text(role, text string) Message {
	return encodeMessage(map[string]any{"role": role, "content": text})
}

// JSONSchema returns the response_format that makes an answer follow a schema.
func JSONSchema(name string, schema any) any {
	return map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": name, "strict": true, "schema": schema}}
}

// JSONObject returns the response_format that makes the answer a JSON object of any structure.
func JSONObject() any { return map[string]any{"type": "json_object"} }

func (r Request) encode() ([]byte, error) {
	body := map[string]any{}
	maps.Copy(body, r.Parameters)
	messages := make([]jsontext.Value, len(r.Messages))
	for i, m := range r.Messages {
		messages[i] = jsontext.Value(m)
	}
	body["model"], body["messages"], body["stream"] = r.Model, messages, true
	if r.Usage {
		body["stream_options"] = map[string]any{"include_usage": true}
	}
	out, err := json.Marshal(body, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("encode the request to the model: %w", err)
	}
	return out, nil
}
