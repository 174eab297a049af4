package ui

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// ToolCall is a tool call.
type ToolCall struct {
	Kind    contracts.UIKind `json:"kind"`
	Tool    string           `json:"tool"`
	Args    jsontext.Value   `json:"args"`              // an object
	ArgsRaw jsontext.Value   `json:"args_raw,omitzero"` // arguments that are not a valid object or are too large, shortened if necessary
	CallID  string           `json:"call_id,omitzero"`
}

// ItemKind returns UIToolCall.
func (*ToolCall) ItemKind() contracts.UIKind { return contracts.UIToolCall }

// The names that different programs give each member, in order of precedence: ours, then those of
// OpenAI, Anthropic, AG-UI, Vercel, LangChain and Claude Code.
var (
	toolKeys    = []string{"tool", "name", "tool_name"}
	moreToolKey = []string{"toolName", "toolCallName"}
	callIDKeys  = []string{"call_id", "callId", "toolCallId", "tool_call_id", "tool_use_id", "id"}
	argsKeys    = []string{"arguments", "args"}
	moreArgsKey = []string{"input", "tool_input", "params", "parameters"}
)

func readToolCalls(v jsontext.Value) []Part {
	if v.Kind() == '[' {
		return each(v, readToolCall)
	}
	o := objectOf(v)
	if o.tool() == "" {
		for _, wrapper := range []string{"value", "tool_calls"} {
			switch o[wrapper].Kind() {
			case '[':
				return each(o[wrapper], readToolCall)
			case '"', '{':
				p := readToolCall(o[wrapper])
				p.Raw = v
				return []Part{p}
			}
		}
	}
	p := toolCall(v, o)
	p.Raw = v
	return []Part{p}
}

func readToolCall(v jsontext.Value) Part { return toolCall(v, objectOf(v)) }

// toolCall reads a call; o is nil if v is not an object.
func toolCall(v jsontext.Value, o object) Part {
	if name, ok := str(v); ok {
		if contracts.Blank(name) {
			return Part{Ignored: "the tool has no name"}
		}
		return Part{Item: &ToolCall{Kind: contracts.UIToolCall, Tool: hud.Shorten(name, contracts.LimitName), Args: jsontext.Value("{}")}}
	}
	if o == nil {
		return Part{Ignored: "a tool call must be a name or an object"}
	}
	c := &ToolCall{Kind: contracts.UIToolCall, Tool: o.tool(), CallID: o.callID()}
	if c.Tool == "" {
		return Part{Ignored: "the tool has no name"}
	}
	c.Args, c.ArgsRaw = o.args()
	return Part{Item: c}
}

// tool returns the tool's name, or "".
func (o object) tool() string {
	if name := o.word(toolKeys...); name != "" {
		return name
	}
	if name := objectOf(o["function"]).word("name"); name != "" {
		return name
	}
	return o.word(moreToolKey...)
}

func (o object) callID() string { return o.word(callIDKeys...) }

// args returns the arguments if they are an object, or a string that contains one, of at most
// LimitHUDInline bytes. Otherwise, it returns {} and, in raw, the arguments, shortened if
// necessary.
func (o object) args() (args, raw jsontext.Value) {
	none := jsontext.Value("{}")
	v, ok := o.first(argsKeys...)
	if !ok {
		v, ok = objectOf(o["function"]).first("arguments")
	}
	if !ok {
		v, ok = o.first(moreArgsKey...)
	}
	if !ok {
		return none, nil
	}
	inner := v
	if s, isText := str(v); isText {
		if contracts.Blank(s) {
			return none, nil
		}
		inner = jsontext.Value(s)
	}
	if inner.Kind() == '{' && len(inner) <= contracts.LimitHUDInline {
		if clean, err := cleaned(inner); err == nil {
			return fitted(inner, clean, contracts.LimitHUDInline), nil
		}
	}
	return none, boundValue(v, contracts.LimitHUDInline)
}
