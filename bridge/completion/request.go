package completion

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// Request is a chat completion request as sent by the caller.
type Request struct {
	Model  string
	User   string
	Stream bool
	Usage  bool // the caller asked for a chunk with the usage

	messages []drive.Message
	noted    []string // ignored members of answers, each once
	asked    map[string]jsontext.Value
}

var errNobody = invalid("messages", "No message with the role user has text or an image.")

// Ask is the part of a request that goes to an agent.
type Ask struct {
	Messages   []drive.Message
	Text       string // text of the new message
	Parameters map[string]jsontext.Value
	Ignored    []string // ignored parameters and members
	Again      bool     // the caller marks the request as a retry
}

// streamMembers are the members of stream_options. include_obfuscation only pads chunks.
var streamMembers = []string{"include_usage", "include_obfuscation"}

// Read decodes a body strictly and refuses anything that no agent supports.
func Read(body []byte) (*Request, *Error) {
	var w struct {
		Model         string           `json:"model"`
		Messages      []jsontext.Value `json:"messages"`
		Stream        bool             `json:"stream"`
		User          string           `json:"user"`
		StreamOptions *struct {
			Usage bool `json:"include_usage"`
		} `json:"stream_options"`
	}
	r := &Request{}
	for _, into := range []any{&w, &r.asked} {
		if err := json.Unmarshal(body, into, jsontext.AllowDuplicateNames(false)); err != nil {
			param, why := contracts.Misread(err)
			return nil, invalid(param, "The body is not a chat completion request in JSON: %s.", why)
		}
	}
	if _, bad := unknown("stream_options", r.asked["stream_options"], streamMembers, false); bad != nil {
		return nil, bad
	}
	if _, _, bad := parameters(r.asked, drive.Capabilities{}, true); bad != nil {
		return nil, bad
	}
	r.Model, r.User, r.Stream, r.Usage = w.Model, w.User, w.Stream, w.StreamOptions != nil && w.StreamOptions.Usage
	if len(w.Messages) == 0 {
		return nil, invalid("messages", "messages is empty. Send at least one message with the role user.")
	}
	bytes, images := 0, 0
	for i, raw := range w.Messages {
		m, noted, bad := message(i, raw)
		if bad != nil {
			return nil, bad
		}
		r.noted = append(r.noted, noted...)
		bytes += len(Text(m)) + len(m.Calls)
		images += len(Images(m))
		r.messages = append(r.messages, m)
	}
	slices.Sort(r.noted)
	r.noted = slices.Compact(r.noted)
	switch {
	case lastUser(r.messages) < 0:
		return nil, errNobody
	case bytes > contracts.LimitPrompt:
		return nil, &Error{Param: "messages", Code: "context_length_exceeded", Message: fmt.Sprintf("The messages contain %d bytes of text (limit %d).", bytes, contracts.LimitPrompt)}
	case images > contracts.LimitPromptImages:
		return nil, invalid("messages", "The messages contain %d images (limit %d).", images, contracts.LimitPromptImages)
	}
	return r, nil
}

// Ask returns the part of the request for an agent with these capabilities. With the headers of
// seed 002 that is only the last user message, because naming a session there means that the agent
// remembers the rest. A model remembers nothing and gets everything.
func (r *Request) Ask(caps drive.Capabilities, seed bool) (*Ask, *Error) {
	a := &Ask{Messages: r.messages}
	if fromOpenClaw(r.messages) {
		a.Messages, a.Again = bare(r.messages)
	}
	last := lastUser(a.Messages)
	if last < 0 {
		return nil, errNobody
	}
	alone := seed && !caps.Messages
	if alone {
		a.Messages = a.Messages[last : last+1]
	} else if bad := atTheEnd(a.Messages, last); bad != nil {
		return nil, bad
	}
	if !caps.Images {
		if bad := noImages(r.messages, alone); bad != nil {
			return nil, bad
		}
	}
	var bad *Error
	if a.Parameters, a.Ignored, bad = parameters(r.asked, caps, false); bad != nil {
		return nil, bad
	}
	if alone && len(r.messages) > 1 {
		a.Ignored = append(a.Ignored, "messages")
	} else if fromOpenClaw(r.messages) && slices.ContainsFunc(r.messages, Instructs) {
		a.Ignored = append(a.Ignored, "messages")
	}
	for _, name := range r.noted {
		a.Ignored = append(a.Ignored, "messages."+name)
	}
	if a.Text = Text(a.Messages[lastUser(a.Messages)]); a.Text == "" {
		a.Text = "(an image)"
	}
	return a, nil
}

// Instructs reports whether a message tells the agent how to answer.
func Instructs(m drive.Message) bool { return m.Role == roleSystem || m.Role == roleDeveloper }

// Answers reports whether a message is an agent's answer.
func Answers(m drive.Message) bool { return m.Role == roleAssistant }

// atTheEnd refuses a conversation that continues after its last user message: an agent answers
// people, and does not complete text that it never wrote.
func atTheEnd(list []drive.Message, last int) *Error {
	for _, m := range list[last+1:] {
		if !Instructs(m) {
			return invalid("messages", "The last message has the role %s; agents answer messages with the role user.", m.Role)
		}
	}
	return nil
}

// noImages refuses a request with images. alone means that only the last user message is sent.
func noImages(list []drive.Message, alone bool) *Error {
	for i, m := range list {
		if alone && i != lastUser(list) {
			continue
		}
		for j, p := range m.Parts {
			if p.Image != nil {
				return unsupported(fmt.Sprintf("messages.%d.content.%d", i, j), "This agent does not accept images. Ask one that does, or remove the image.")
			}
		}
	}
	return nil
}

// Prefix returns the digest of the conversation that a request continues: everything up to the
// agent's last answer. It returns false for a new conversation.
func Prefix(root Digest, list []drive.Message) (Digest, bool) {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Role == roleAssistant {
			return root.Then(list[:i+1]...), true
		}
	}
	return Digest{}, false
}
