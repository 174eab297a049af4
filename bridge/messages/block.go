package messages

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/drive"
)

// The types of content blocks that reach an agent.
const (
	typeText   = "text"
	typeImage  = "image"
	typeUse    = "tool_use"
	typeResult = "tool_result"
)

// members lists the known members of each type of block.
var members = map[string][]string{
	typeText:   {"type", "text"},
	typeImage:  {"type", "source"},
	typeUse:    {"type", "id", "name", "input"},
	typeResult: {"type", "tool_use_id", "content", "is_error"},
}

// ignorable lists the block members that have no meaning for an agent.
var ignorable = []string{"cache_control", "caller", "citations"}

// failed is the text that tells the agent that a result comes from a failed tool call.
const failed = "(The tool call failed.)"

// content collects the blocks of one message. One message can become several, because tool results
// are separate messages.
type content struct {
	results []drive.Message
	calls   []any
}

// add decodes the content of one message and appends the resulting messages to r.
func add(r *completion.Request, at, role string, raw jsontext.Value) *completion.Error {
	where := at
	if role != completion.RoleSystem || at != "system" {
		where += ".content"
	}
	c := &content{}
	list, ignored, bad := completion.Content(where, raw, c.block)
	if bad != nil {
		return bad
	}
	for _, m := range c.results {
		r.Add(at, m)
	}
	r.IgnoredMembers = append(r.IgnoredMembers, ignored...)
	if len(list) > 0 || len(c.calls) > 0 {
		m := drive.Message{Role: role, Parts: list}
		if len(c.calls) > 0 {
			m.Calls = completion.Calls(c.calls...)
		}
		r.Add(at, m)
	}
	return nil
}

type block struct {
	Text    string         `json:"text"`
	Source  jsontext.Value `json:"source"`
	ID      string         `json:"id"`
	Name    string         `json:"name"`
	Input   jsontext.Value `json:"input"`
	UseID   string         `json:"tool_use_id"`
	Content jsontext.Value `json:"content"`
	IsError bool           `json:"is_error"`
}

// block decodes one block of a message.
func (c *content) block(at, kind string, raw jsontext.Value) (list []drive.Part, ignored []string, bad *completion.Error) {
	known := members[kind]
	switch {
	case kind == "thinking" || kind == "redacted_thinking":
		return nil, []string{kind}, nil
	case known == nil:
		return nil, nil, completion.UnknownPart(at, kind, "text, image, tool_use or tool_result")
	}
	if ignored, bad = completion.CheckMembers(at, raw, known, ignorable); bad != nil {
		return nil, nil, bad
	}
	var b block
	if bad := completion.Unmarshal(at, raw, &b); bad != nil {
		return nil, nil, bad
	}
	switch kind {
	case typeImage:
		image, bad := picture(at+".source", b.Source)
		return []drive.Part{{Image: image}}, ignored, bad
	case typeUse:
		c.calls = append(c.calls, completion.Call(b.ID, b.Name, string(b.Input)))
		return nil, ignored, nil
	case typeResult:
		parts, more, bad := completion.Content(at+".content", b.Content, (&content{}).block)
		if b.IsError {
			parts = append(completion.Texts(failed), parts...)
		}
		c.results = append(c.results, drive.Message{Role: completion.RoleTool, CallID: b.UseID, Parts: parts})
		return nil, append(ignored, more...), bad
	}
	return completion.Texts(b.Text), ignored, nil
}

func picture(at string, raw jsontext.Value) (*drive.Image, *completion.Error) {
	var source struct {
		Type string `json:"type"`
		MIME string `json:"media_type"`
		Data string `json:"data"`
	}
	if bad := completion.Unmarshal(at, raw, &source); bad != nil {
		return nil, bad
	}
	if source.Type != "base64" {
		return nil, completion.Invalid(at, "The office does not fetch images: send the image data with source type base64.")
	}
	if _, bad := completion.CheckMembers(at, raw, []string{"type", "media_type", "data"}, nil); bad != nil {
		return nil, bad
	}
	return completion.Picture(at, source.MIME, source.Data)
}
