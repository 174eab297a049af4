package completion

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// The roles of messages. The roles of other protocols are translated to these.
const (
	RoleSystem    = "system"
	RoleDeveloper = "developer"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
	roleFunction  = "function"
)

var roles = []string{RoleSystem, RoleDeveloper, RoleUser, RoleAssistant, RoleTool, roleFunction}

// wireMessage is a message in OpenAI's format.
type wireMessage struct {
	Role    string         `json:"role"`
	Name    string         `json:"name"`
	Content jsontext.Value `json:"content"`
	Calls   jsontext.Value `json:"tool_calls"`
	CallID  string         `json:"tool_call_id"`
	Call    jsontext.Value `json:"function_call"`
	Refusal string         `json:"refusal"`
}

var wireMembers = []string{"role", "name", "content", "tool_calls", "tool_call_id", "function_call", "refusal"}

// IgnorableMembers lists members of assistant messages that clients send back with an answer and that
// add nothing to it, for example its sources, other forms of its text, and the reasoning. They are
// ignored and reported by name. Any other unknown member might contain text, so it is refused.
var IgnorableMembers = []string{
	"annotations", "id", "logprobs", "parsed", "provider_specific_fields",
	"reasoning", "reasoning_content", "reasoning_details", "reasoning_text", "thinking", "thinking_blocks",
}

// ignorable returns the members that are ignored in messages with the given role.
func ignorable(role string) []string {
	if role == RoleAssistant {
		return IgnorableMembers
	}
	return nil
}

// partMembers lists the known members of each part type.
var partMembers = map[string][]string{
	"text": {"type", "text"}, "input_text": {"type", "text"}, "refusal": {"type", "refusal"}, "image_url": {"type", "image_url"},
}

var imageMembers = []string{"url", "detail"}

// wirePart is one part of a message whose content is a list.
type wirePart struct {
	Text    string         `json:"text"`
	Refusal string         `json:"refusal"`
	Image   jsontext.Value `json:"image_url"`
}

// message decodes one message and returns the names of its ignored members. A member that would be
// lost is refused.
func message(i int, raw jsontext.Value) (m drive.Message, ignored []string, bad *Error) {
	var w wireMessage
	at := fmt.Sprintf("messages.%d", i)
	if bad := Unmarshal(at, raw, &w); bad != nil {
		return m, nil, bad
	}
	if ignored, bad = CheckMembers(at, raw, wireMembers, ignorable(w.Role)); bad != nil {
		return m, nil, bad
	}
	if bad := CheckRole(at, w.Role, roles...); bad != nil {
		return m, nil, bad
	}
	m = drive.Message{Role: w.Role, Name: contracts.CleanLine(w.Name), CallID: w.CallID}
	for _, calls := range []jsontext.Value{w.Calls, w.Call} {
		if len(calls) > 0 && calls.Kind() != 'n' && !IsEmpty(calls) {
			m.Calls = calls.Clone()
			if err := m.Calls.Canonicalize(); err != nil {
				return m, nil, Invalid(at+".tool_calls", "The tool calls cannot be decoded.")
			}
		}
	}
	list, more, bad := Content(at+".content", w.Content, func(at, kind string, raw jsontext.Value) ([]drive.Part, []string, *Error) {
		return part(w.Role, at, kind, raw)
	})
	m.Parts = append(list, Texts(w.Refusal)...)
	return m, append(ignored, more...), bad
}

// Texts returns s as a list of one text part; empty if s is blank.
func Texts(s string) []drive.Part {
	if s = strings.TrimSpace(contracts.CleanText(s)); s == "" {
		return nil
	}
	return []drive.Part{{Text: s}}
}

// part decodes one part of a chat message.
func part(role, at, kind string, raw jsontext.Value) (list []drive.Part, ignored []string, bad *Error) {
	known := partMembers[kind]
	switch {
	case kind == "input_audio" || kind == "file":
		return nil, nil, Unsupported(at, "Agents accept text and images, not %s.", kind)
	case known == nil:
		return nil, nil, UnknownPart(at, kind, "text or image_url")
	}
	var p wirePart
	if bad := Unmarshal(at, raw, &p); bad != nil {
		return nil, nil, bad
	}
	if ignored, bad = CheckMembers(at, raw, known, ignorable(role)); bad != nil {
		return nil, nil, bad
	}
	if kind != "image_url" {
		return append(Texts(p.Text), Texts(p.Refusal)...), ignored, nil
	}
	if p.Image.Kind() != '{' {
		return nil, nil, Invalid(at, "The part has no image_url.url.")
	}
	var image struct {
		URL    string `json:"url"`
		Detail string `json:"detail"`
	}
	if bad := Unmarshal(at+".image_url", p.Image, &image); bad != nil {
		return nil, nil, bad
	}
	if _, bad := CheckMembers(at+".image_url", p.Image, imageMembers, nil); bad != nil {
		return nil, nil, bad
	}
	picture, bad := PictureURL(at+".image_url.url", image.URL)
	if bad != nil {
		return nil, nil, bad
	}
	picture.Detail = image.Detail
	return []drive.Part{{Image: picture}}, ignored, nil
}

// Call returns a function call in the chat format.
func Call(id, name, arguments string) any {
	return map[string]any{"id": id, "type": "function", "function": map[string]string{"name": name, "arguments": arguments}}
}

// Calls returns function calls as the canonical JSON that messages contain.
func Calls(list ...any) jsontext.Value {
	raw, err := json.Marshal(list, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil // cannot happen: the calls were decoded from JSON
	}
	v := jsontext.Value(raw)
	_ = v.Canonicalize() // cannot fail, for the same reason
	return v
}

// Text returns the text of a message, without images.
func Text(m drive.Message) string {
	var list []string
	for _, p := range m.Parts {
		if p.Image == nil {
			list = append(list, p.Text)
		}
	}
	return strings.Join(list, "\n")
}

// Images returns the images in a message.
func Images(m drive.Message) (list []drive.Image) {
	for _, p := range m.Parts {
		if p.Image != nil {
			list = append(list, *p.Image)
		}
	}
	return list
}

// Size returns the number of bytes in the text, images and calls of a message.
func Size(m drive.Message) int {
	size := len(m.Calls)
	for _, p := range m.Parts {
		size += len(p.Text)
		if p.Image != nil {
			size += len(p.Image.Data)
		}
	}
	return size
}

// Reply returns an agent's answer as the assistant message that its caller sends back with the next
// request.
func Reply(text string) drive.Message {
	return drive.Message{Role: RoleAssistant, Parts: Texts(text)}
}

// UserMessage returns text as a user message.
func UserMessage(text string) drive.Message { return drive.Message{Role: RoleUser, Parts: Texts(text)} }
