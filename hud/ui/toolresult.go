package ui

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// ToolResult is the result of a tool call.
type ToolResult struct {
	Kind      contracts.UIKind `json:"kind"`
	Tool      string           `json:"tool"`
	Text      string           `json:"text"`
	OK        *bool            `json:"ok"` // nil if the sender does not report the outcome
	CallID    string           `json:"call_id,omitzero"`
	Truncated bool             `json:"truncated,omitzero"`
	Bytes     int              `json:"bytes,omitzero"`

	Output jsontext.Value `json:"-"` // the value that Text shows, as received
	Whole  string         `json:"-"` // Text before truncation
	Failed bool           `json:"-"` // the sender reports a failure, or an error instead of a result
	Exit   *int           `json:"-"` // a command's exit code; nil if not reported
	Object jsontext.Value `json:"-"` // the whole object, if its members may be part of the result
}

// ItemKind returns UIToolResult.
func (*ToolResult) ItemKind() contracts.UIKind { return contracts.UIToolResult }

// Unnamed is the tool name for results that do not name their tool.
const Unnamed = "tool"

var (
	outputKeys  = []string{"output", "result", "error", "value", "content", "text", "response", "tool_response", "errorText"}
	resultLists = []string{"value", "results", "tool_results"}
)

func readToolResults(v jsontext.Value) []Part {
	if v.Kind() == '[' {
		return each(v, readToolResult)
	}
	o := objectOf(v)
	if o.tool() == "" && o.callID() == "" {
		for _, wrapper := range resultLists {
			if o[wrapper].Kind() == '[' {
				return each(o[wrapper], readToolResult)
			}
		}
	}
	p := toolResult(v, o)
	p.Raw = v
	return []Part{p}
}

func readToolResult(v jsontext.Value) Part { return toolResult(v, objectOf(v)) }

// toolResult reads a result; o is nil if v is not an object.
func toolResult(v jsontext.Value, o object) Part {
	if !given(v) {
		return Part{Ignored: "the tool result has no value"}
	}
	r := &ToolResult{Kind: contracts.UIToolResult, Tool: Unnamed, Output: v}
	if o == nil {
		r.setText(shown(v))
		return Part{Item: r}
	}
	if len(o) == 0 {
		return Part{Ignored: "the tool result is empty"}
	}
	if name := o.tool(); name != "" {
		r.Tool = name
	}
	r.CallID, r.OK, r.Exit = o.callID(), o.succeeded(), o.exitCode()
	key := ""
	for _, k := range outputKeys {
		if given(o[k]) {
			key = k
			break
		}
	}
	r.Failed = r.OK != nil && !*r.OK || r.OK == nil && key == "error"
	if r.Output = o[key]; key == "" {
		r.Output = o["results"] // a list that belongs to a named tool
	}
	switch key {
	case "", "error", "content", "text": // next to these keys, other members can be part of the result
		r.Object = v
	}
	switch {
	case key == "content":
		r.setText(blocks(r.Output))
	case given(r.Output):
		r.setText(shown(r.Output))
	}
	return Part{Item: r}
}

func (r *ToolResult) setText(s string) {
	t := bounded(s)
	r.Whole, r.Text, r.Truncated, r.Bytes = s, t.Text, t.Truncated, t.Bytes
}

// succeeded returns the outcome that the sender reports, or nil if it reports none.
func (o object) succeeded() *bool {
	for _, k := range []string{"success", "ok"} {
		if v, there := o[k]; there {
			return truth(v)
		}
	}
	for _, k := range []string{"is_error", "isError"} {
		if failed := truth(o[k]); failed != nil {
			return new(!*failed)
		}
	}
	if given(o["errorText"]) {
		return new(false)
	}
	if o["status"].Kind() == '"' {
		return truth(o["status"])
	}
	return nil
}

// exitCode returns a command's exit code, or nil if the sender does not report it.
func (o object) exitCode() *int {
	v, ok := o.first("exit_code", "exitCode")
	if !ok || v.Kind() != '0' {
		return nil
	}
	code, err := strconv.Atoi(string(v))
	if err != nil {
		return nil
	}
	return &code
}

// blocks returns the joined text of a list of text blocks, or any other value as text.
func blocks(v jsontext.Value) string {
	var texts []string
	for _, e := range elementsOf(v) {
		s, ok := str(objectOf(e)["text"])
		if !ok {
			return shown(v)
		}
		texts = append(texts, s)
	}
	if len(texts) == 0 {
		return shown(v)
	}
	return strings.Join(texts, "\n")
}
