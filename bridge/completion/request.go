package completion

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// Request is a request for an agent's answer. Read decodes it from a chat completion request;
// bridge/responses and bridge/messages create it from requests in other protocols.
type Request struct {
	Model  string
	User   string
	Stream bool
	Usage  bool // the caller asked for a chunk with the usage

	Member         string // the member that contains the messages, for errors
	Messages       []drive.Message
	Places         []string                  // location of each message in the request, for errors
	Shown          string                    // the new message as people see it; default: its text
	IgnoredMembers []string                  // ignored members of messages
	Parameters     map[string]jsontext.Value // without those that the protocol itself reads
	Rules          []Rule
}

// Ask is the part of a request that is sent to an agent.
type Ask struct {
	Messages   []drive.Message
	Text       string // text of the new message, for people
	Parameters map[string]jsontext.Value
	Ignored    []string // ignored parameters and members
	Retry      bool     // the caller marks the request as a retry
}

// streamMembers are the members of stream_options. include_obfuscation has no effect: it would only
// pad chunks.
var streamMembers = []string{"include_usage", "include_obfuscation"}

// Decode decodes a body into each of the given values. The what parameter names the expected
// request in errors.
func Decode(body []byte, what string, into ...any) *Error {
	for _, value := range into {
		if err := json.Unmarshal(body, value, jsontext.AllowDuplicateNames(false)); err != nil {
			param, why := contracts.ExplainJSONError(err)
			return Invalid(param, "The body is not a %s request in JSON: %s.", what, why)
		}
	}
	return nil
}

// Read decodes a request body strictly and refuses anything that no agent supports.
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
	r := &Request{Member: "messages", Rules: Rules}
	if bad := Decode(body, "chat completion", &w, &r.Parameters); bad != nil {
		return nil, bad
	}
	if _, bad := CheckMembers("stream_options", r.Parameters["stream_options"], streamMembers, nil); bad != nil {
		return nil, bad
	}
	r.Model, r.User, r.Stream, r.Usage = w.Model, w.User, w.Stream, w.StreamOptions != nil && w.StreamOptions.Usage
	if bad := r.CheckParameters("model", "messages", "stream", "stream_options", "user"); bad != nil {
		return nil, bad
	}
	for i, raw := range w.Messages {
		m, ignored, bad := message(i, raw)
		if bad != nil {
			return nil, bad
		}
		r.Add(fmt.Sprintf("messages.%d", i), m, ignored...)
	}
	return r, r.CheckMessages()
}

// Add appends a message. place is its location in the request, and ignored lists its ignored members.
func (r *Request) Add(place string, m drive.Message, ignored ...string) {
	r.Messages, r.Places = append(r.Messages, m), append(r.Places, place)
	r.IgnoredMembers = append(r.IgnoredMembers, ignored...)
}

// CheckParameters refuses parameters that no agent supports. Before that, it removes the parameters in
// read, which the protocol itself reads.
func (r *Request) CheckParameters(read ...string) *Error {
	for _, name := range read {
		delete(r.Parameters, name)
	}
	_, _, bad := r.splitParameters(drive.Capabilities{}, true)
	return bad
}

// CheckMessages refuses a request that is too large or whose user messages are all empty.
func (r *Request) CheckMessages() *Error {
	bytes, images := 0, 0
	for _, m := range r.Messages {
		bytes += len(Text(m)) + len(m.Calls)
		images += len(Images(m))
	}
	switch {
	case len(r.Messages) == 0:
		return Invalid(r.Member, "%s is empty. Send at least one message with the role user.", r.Member)
	case lastUser(r.Messages) < 0:
		return r.noUserMessage()
	case bytes > contracts.LimitPrompt:
		return &Error{Param: r.Member, Code: "context_length_exceeded", Message: fmt.Sprintf("The messages contain %d bytes of text (limit %d).", bytes, contracts.LimitPrompt)}
	case images > contracts.LimitPromptImages:
		return Invalid(r.Member, "The messages contain %d images (limit %d).", images, contracts.LimitPromptImages)
	}
	return nil
}

func (r *Request) noUserMessage() *Error {
	return Invalid(r.Member, "No message with the role user has text or an image.")
}

// Ask returns the part of the request that an agent with these capabilities receives. If byHeader
// is set, a header names the session. An agent that remembers the session then receives only the
// last user message; a model remembers nothing and always receives all messages.
func (r *Request) Ask(caps drive.Capabilities, byHeader bool) (*Ask, *Error) {
	a := &Ask{Messages: r.Messages}
	if fromOpenClaw(r.Messages) {
		a.Messages, a.Retry = stripOpenClaw(r.Messages)
	}
	last := lastUser(a.Messages)
	if last < 0 {
		return nil, r.noUserMessage()
	}
	alone := byHeader && !caps.Messages
	if alone {
		a.Messages = a.Messages[last : last+1]
	} else if bad := r.checkLastMessage(a.Messages, last); bad != nil {
		return nil, bad
	}
	if !caps.Images {
		if bad := r.checkImages(alone); bad != nil {
			return nil, bad
		}
	}
	var bad *Error
	if a.Parameters, a.Ignored, bad = r.splitParameters(caps, false); bad != nil {
		return nil, bad
	}
	if alone && len(r.Messages) > 1 {
		a.Ignored = append(a.Ignored, r.Member)
	} else if fromOpenClaw(r.Messages) && slices.ContainsFunc(r.Messages, Instructs) {
		a.Ignored = append(a.Ignored, r.Member)
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(r.IgnoredMembers))) {
		a.Ignored = append(a.Ignored, r.Member+"."+name)
	}
	a.Text = cmp.Or(r.Shown, Text(a.Messages[lastUser(a.Messages)]), "(an image)")
	return a, nil
}

// Instructs reports whether a message tells the agent how to answer.
func Instructs(m drive.Message) bool { return m.Role == RoleSystem || m.Role == RoleDeveloper }

// Answers reports whether a message is an agent's answer.
func Answers(m drive.Message) bool { return m.Role == RoleAssistant }

// checkLastMessage refuses a conversation that continues after its last user message: an agent
// answers people and does not complete text that it did not write.
func (r *Request) checkLastMessage(list []drive.Message, last int) *Error {
	for _, m := range list[last+1:] {
		if !Instructs(m) {
			return Invalid(r.Member, "The last message has the role %s; agents answer only messages that have the role user.", m.Role)
		}
	}
	return nil
}

// checkImages refuses a request with images. alone means that only the last user message is sent.
func (r *Request) checkImages(alone bool) *Error {
	for i, m := range r.Messages {
		if alone && i != lastUser(r.Messages) {
			continue
		}
		for j, p := range m.Parts {
			if p.Image != nil {
				return Unsupported(fmt.Sprintf("%s.content.%d", r.Places[i], j), "This agent does not accept images. Use one that does, or remove the image.")
			}
		}
	}
	return nil
}

// Prefix returns the digest of the conversation that a request continues: everything up to the
// agent's last answer. It returns false for a new conversation.
func Prefix(root Digest, list []drive.Message) (Digest, bool) {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Role == RoleAssistant {
			return root.Then(list[:i+1]...), true
		}
	}
	return Digest{}, false
}
