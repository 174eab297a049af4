package completions

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Tool describes a function that the model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  any // JSON schema of the arguments
}

// Tools returns the value of the tools parameter.
func Tools(list []Tool) any {
	out := make([]any, len(list))
	for i, t := range list {
		out[i] = map[string]any{"type": "function", "function": map[string]any{"name": t.Name, "description": t.Description, "parameters": t.Parameters}}
	}
	return out
}

// Call is a complete tool call.
type Call struct {
	ID        string
	Name      string
	Arguments string // JSON, as the model wrote it
}

// Calls joins the fragments of an answer's tool calls. The zero value is empty.
type Calls struct {
	list []*partialCall
	at   map[Count]*partialCall // the last call with each index
}

// partialCall is a call whose arguments are still arriving.
type partialCall struct {
	id, name  string
	arguments strings.Builder
}

// Add adds a fragment. If its id differs from the id of the call with the same index, the fragment
// starts a new call, because some endpoints send the same index for all calls.
func (c *Calls) Add(f ToolCall) {
	call := c.at[f.Index]
	if call == nil || f.ID != "" && call.id != "" && call.id != string(f.ID) {
		if c.at == nil {
			c.at = map[Count]*partialCall{}
		}
		call = &partialCall{}
		c.at[f.Index] = call
		c.list = append(c.list, call)
	}
	call.id, call.name = cmp.Or(call.id, string(f.ID)), cmp.Or(call.name, string(f.Function.Name))
	call.arguments.WriteString(string(f.Function.Arguments))
}

// Len returns the number of calls.
func (c *Calls) Len() int { return len(c.list) }

// List returns the calls in the order in which they started. A call without an id is given one.
func (c *Calls) List() []Call {
	list := make([]Call, len(c.list))
	for i, call := range c.list {
		list[i] = Call{cmp.Or(call.id, fmt.Sprintf("call_%d", i+1)), call.name, call.arguments.String()}
	}
	return list
}

// CallMessage returns the model's message with tool calls, to be sent back with their results.
// reasoning is sent only if it is not empty: some endpoints require it, others reject it.
func CallMessage(text, reasoning string, calls []Call) Message {
	list := make([]any, len(calls))
	for i, c := range calls {
		list[i] = map[string]any{"id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": c.Arguments}}
	}
	message := map[string]any{"role": "assistant", "content": text, "tool_calls": list}
	if reasoning != "" {
		message["reasoning_content"] = reasoning
	}
	return encodeMessage(message)
}

// ResultMessage returns the message that reports a tool call's result to the model.
func ResultMessage(callID, text string) Message {
	return encodeMessage(map[string]any{"role": "tool", "tool_call_id": callID, "content": text})
}

func encodeMessage(message map[string]any) Message {
	b, err := json.Marshal(message, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic("encode message: " + err.Error())
	}
	return Message(b)
}
