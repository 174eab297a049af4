package completion

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// The roles of messages, with which other protocols' roles are translated.
const (
	RoleSystem    = "system"
	RoleDeveloper = "developer"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
	roleFunction  = "function"
)

var roles = []string{RoleSystem, RoleDeveloper, RoleUser, RoleAssistant, RoleTool, roleFunction}

// pictures are the supported image types.
var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

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

// Noted lists members of assistant messages that clients send back with an answer and that add
// nothing to it: its sources, other forms of its text, and the reasoning. They are ignored and
// reported by name. Any other unknown member might hold text, so it is refused.
var Noted = []string{
	"annotations", "id", "logprobs", "parsed", "provider_specific_fields",
	"reasoning", "reasoning_content", "reasoning_details", "reasoning_text", "thinking", "thinking_blocks",
}

// ignorable returns the members of a message that are ignored.
func ignorable(role string) []string {
	if role == RoleAssistant {
		return Noted
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
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
	Image   *struct {
		URL    string `json:"url"`
		Detail string `json:"detail"`
	} `json:"image_url"`
}

// message decodes one message and returns the names of its ignored members. A member that would be
// lost is refused.
func message(i int, raw jsontext.Value) (m drive.Message, noted []string, bad *Error) {
	var w wireMessage
	at := fmt.Sprintf("messages.%d", i)
	if err := json.Unmarshal(raw, &w); err != nil {
		member, why := contracts.Misread(err)
		return m, nil, Invalid(strings.TrimSuffix(at+"."+member, "."), "The message cannot be decoded: %s.", why)
	}
	if noted, bad = Members(at, raw, wireMembers, ignorable(w.Role)); bad != nil {
		return m, nil, bad
	}
	if !slices.Contains(roles, w.Role) {
		return m, nil, Invalid(at+".role", "The role must be one of %s.", strings.Join(roles, ", "))
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
	more, bad := content(&m, at+".content", w.Content)
	m.Parts = append(m.Parts, Texts(w.Refusal)...)
	return m, append(noted, more...), bad
}

// Members refuses an object with a member that would be lost. Null members are accepted. Members
// listed in ignorable are returned; if that list is not nil, as for answers that clients send back,
// empty and false members are accepted too.
func Members(at string, raw jsontext.Value, known, ignorable []string) (noted []string, bad *Error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, nil // not an object; decoding reports that
	}
	for _, name := range sorted(members) {
		value := members[name]
		switch {
		case slices.Contains(known, name), value.Kind() == 'n', ignorable != nil && (IsEmpty(value) || IsFalse(value)):
		case slices.Contains(ignorable, name):
			noted = append(noted, name)
		default:
			return nil, &Error{Param: at + "." + name, Code: "unknown_parameter", Message: fmt.Sprintf("Unknown field %s in %s. Remove it.", name, at)}
		}
	}
	return noted, nil
}

// Texts returns s as a list of one text part, empty if s is blank.
func Texts(s string) []drive.Part {
	if s = strings.TrimSpace(contracts.CleanText(s)); s == "" {
		return nil
	}
	return []drive.Part{{Text: s}}
}

func content(m *drive.Message, at string, raw jsontext.Value) (noted []string, bad *Error) {
	switch raw.Kind() {
	case 0, 'n':
		return nil, nil
	case '"':
		s, _ := textOf(raw)
		m.Parts = Texts(s)
		return nil, nil
	case '[':
	default:
		return nil, Invalid(at, "The content must be a string or a list of parts.")
	}
	var list []wirePart
	var raws []jsontext.Value
	for _, into := range []any{&list, &raws} {
		if err := json.Unmarshal(raw, into); err != nil {
			member, why := contracts.Misread(err)
			return nil, Invalid(strings.TrimSuffix(at+"."+member, "."), "The content cannot be decoded: %s.", why)
		}
	}
	for j, p := range list {
		where := fmt.Sprintf("%s.%d", at, j)
		more, bad := droppedOf(m.Role, where, p.Type, raws[j])
		if bad != nil {
			return nil, bad
		}
		noted = append(noted, more...)
		switch p.Type {
		case "text", "input_text":
			m.Parts = append(m.Parts, Texts(p.Text)...)
		case "refusal":
			m.Parts = append(m.Parts, Texts(p.Refusal)...)
		case "image_url":
			if p.Image == nil {
				return nil, Invalid(where, "The part has no image_url.url.")
			}
			image, bad := PictureURL(where+".image_url.url", p.Image.URL)
			if bad != nil {
				return nil, bad
			}
			image.Detail = p.Image.Detail
			m.Parts = append(m.Parts, drive.Part{Image: image})
		case "input_audio", "file":
			return nil, Unsupported(where, "Agents accept text and images, not %s.", p.Type)
		default:
			return nil, Invalid(where, "A part must have the type text or image_url, not %q.", contracts.Clip(contracts.CleanLine(p.Type), contracts.LimitName))
		}
	}
	return noted, nil
}

// droppedOf refuses a content part with members that would be lost, as Members does for messages.
func droppedOf(role, at, kind string, raw jsontext.Value) (noted []string, bad *Error) {
	known := partMembers[kind]
	if known == nil {
		return nil, nil // an unknown kind is refused later
	}
	if noted, bad = Members(at, raw, known, ignorable(role)); bad != nil {
		return nil, bad
	}
	var part struct {
		Image jsontext.Value `json:"image_url"`
	}
	_ = json.Unmarshal(raw, &part) // cannot fail: raw was decoded before
	_, bad = Members(at+".image_url", part.Image, imageMembers, nil)
	return noted, bad
}

// PictureURL decodes an image from a data: URL. Other URLs are refused: the office does not fetch
// anything for callers.
func PictureURL(at, url string) (*drive.Image, *Error) {
	head, data, ok := strings.Cut(url, ",")
	mime, encoded := strings.CutSuffix(strings.TrimPrefix(head, "data:"), ";base64")
	switch {
	case !strings.HasPrefix(url, "data:"):
		return nil, Invalid(at, "The office does not fetch URLs: send the image itself as data:image/png;base64,….")
	case !ok || !encoded:
		return nil, Invalid(at, "The image must be a base64 data URL: data:image/png;base64,….")
	}
	return Picture(at, mime, data)
}

// Picture returns an image that a request contains as base64.
func Picture(at, mime, data string) (*drive.Image, *Error) {
	if !slices.Contains(pictures, mime) {
		return nil, Invalid(at, "The image type must be one of %s.", strings.Join(pictures, ", "))
	}
	bytes, err := base64.StdEncoding.DecodeString(data)
	if err != nil || len(bytes) == 0 {
		return nil, Invalid(at, "The image is not valid base64.")
	}
	return &drive.Image{MIME: mime, Data: bytes}, nil
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

// Images returns the images of a message.
func Images(m drive.Message) (list []drive.Image) {
	for _, p := range m.Parts {
		if p.Image != nil {
			list = append(list, *p.Image)
		}
	}
	return list
}

// Reply returns an agent's answer as the assistant message that its caller sends back with the next
// request.
func Reply(text string) drive.Message {
	return drive.Message{Role: RoleAssistant, Parts: Texts(text)}
}

// Said returns text as a user message.
func Said(text string) drive.Message { return drive.Message{Role: RoleUser, Parts: Texts(text)} }
