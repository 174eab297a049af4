package responses

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// The types of input items that reach an agent.
const (
	typeMessage = "message"
	typeCall    = "function_call"
	typeOutput  = "function_call_output"
)

// members lists the known members of each type of item. An item's id, status and phase are not
// passed on to the agent.
var members = map[string][]string{
	typeMessage: {"type", "id", "status", "phase", "role", "content"},
	typeCall:    {"type", "id", "status", "call_id", "name", "arguments"},
	typeOutput:  {"type", "id", "status", "call_id", "output"},
}

// partMembers lists the known members of each type of content part.
var partMembers = map[string][]string{
	"input_text": {"type", "text"}, "output_text": {"type", "text"}, "text": {"type", "text"},
	"refusal": {"type", "refusal"}, "input_image": {"type", "image_url", "detail"},
}

// ignorable lists the members of items and parts that have no meaning for an agent.
var ignorable = append([]string{"prompt_cache_breakpoint"}, completion.IgnorableMembers...)

type item struct {
	Type      string         `json:"type"`
	Role      string         `json:"role"`
	Content   jsontext.Value `json:"content"`
	CallID    string         `json:"call_id"`
	Name      string         `json:"name"`
	Arguments string         `json:"arguments"`
	Output    jsontext.Value `json:"output"`
}

// input adds the messages in the input, which is a string or a list of items.
func (r *Request) input(raw jsontext.Value) *completion.Error {
	switch raw.Kind() {
	case 0, 'n':
		return nil
	case '"':
		list, _, bad := completion.Content("input", raw, nil)
		r.Add("input", drive.Message{Role: completion.RoleUser, Parts: list})
		return bad
	}
	var items []jsontext.Value
	if bad := completion.Unmarshal("input", raw, &items); bad != nil {
		return bad
	}
	for i, raw := range items {
		if bad := r.item(fmt.Sprintf("input.%d", i), raw); bad != nil {
			return bad
		}
	}
	return nil
}

func (r *Request) item(at string, raw jsontext.Value) *completion.Error {
	it := item{Type: typeMessage} // the type may be left out
	if bad := completion.Unmarshal(at, raw, &it); bad != nil {
		return bad
	}
	known := members[it.Type]
	switch {
	case it.Type == "reasoning":
		r.IgnoredMembers = append(r.IgnoredMembers, "reasoning")
		return nil
	case it.Type == "item_reference":
		return completion.Unsupported(at, "The office stores no items: send the item itself, or use previous_response_id.")
	case known == nil:
		return completion.Unsupported(at, "Agents accept messages and function calls, not %s.", contracts.Clip(contracts.CleanLine(it.Type), contracts.LimitName))
	}
	ignored, bad := completion.CheckMembers(at, raw, known, ignorable)
	if bad != nil {
		return bad
	}
	switch it.Type {
	case typeCall:
		r.call(at, it)
		r.IgnoredMembers = append(r.IgnoredMembers, ignored...)
		return nil
	case typeOutput:
		list, more, bad := completion.Content(at+".output", it.Output, part)
		r.Add(at, drive.Message{Role: completion.RoleTool, CallID: it.CallID, Parts: list}, append(ignored, more...)...)
		return bad
	}
	if bad := completion.CheckRole(at, it.Role, completion.RoleUser, completion.RoleAssistant, completion.RoleSystem, completion.RoleDeveloper); bad != nil {
		return bad
	}
	list, more, bad := completion.Content(at+".content", it.Content, part)
	r.Add(at, drive.Message{Role: it.Role, Parts: list}, append(ignored, more...)...)
	return bad
}

// call adds a function call in the chat format. Consecutive calls belong to one message in that
// format.
func (r *Request) call(at string, it item) {
	call := completion.Call(it.CallID, it.Name, it.Arguments)
	var calls []any
	if n := len(r.Messages) - 1; n >= 0 && len(r.Messages[n].Calls) > 0 && json.Unmarshal(r.Messages[n].Calls, &calls) == nil {
		r.Messages[n].Calls = completion.Calls(append(calls, call)...)
		return
	}
	r.Add(at, drive.Message{Role: completion.RoleAssistant, Calls: completion.Calls(call)})
}

func part(at, kind string, raw jsontext.Value) (list []drive.Part, ignored []string, bad *completion.Error) {
	known := partMembers[kind]
	switch {
	case kind == "input_file" || kind == "input_audio":
		return nil, nil, completion.Unsupported(at, "Agents accept text and images, not %s.", kind)
	case known == nil:
		return nil, nil, completion.UnknownPart(at, kind, "input_text, output_text or input_image")
	}
	if ignored, bad = completion.CheckMembers(at, raw, known, ignorable); bad != nil {
		return nil, nil, bad
	}
	var p struct {
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
		URL     string `json:"image_url"`
		Detail  string `json:"detail"`
	}
	if bad := completion.Unmarshal(at, raw, &p); bad != nil {
		return nil, nil, bad
	}
	if kind != "input_image" {
		return append(completion.Texts(p.Text), completion.Texts(p.Refusal)...), ignored, nil
	}
	image, bad := completion.PictureURL(at+".image_url", p.URL)
	if bad != nil {
		return nil, nil, bad
	}
	image.Detail = p.Detail
	return []drive.Part{{Image: image}}, ignored, nil
}
