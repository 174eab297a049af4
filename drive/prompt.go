package drive

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// Prompt is one request to an agent, and the required form of the answer.
type Prompt struct {
	Text      string
	Images    []Image // in the order in which they occur in the conversation; only for agents that accept images
	ChatID    string
	MessageID string
	TS        int64

	// Messages is the whole conversation with the new message last. It is set only for agents that
	// need the whole conversation with every turn. Text is then the text of the last message.
	Messages []Message

	// Parameters are the caller's options under OpenAI's names. Options that the agent does not
	// support are not included.
	Parameters map[string]jsontext.Value

	// Form is the required form of the answer; empty for bridge callers, who accept any text.
	Form Form
	// Work is the office's work item, and Read returns the content of its artifacts. Both are set
	// only for agents that accept work items; other agents get the work as Text.
	Work *contracts.Work
	Read func(ctx context.Context, a contracts.Artifact) (string, error)
	// RetryReason says why the request is repeated: the last answer was invalid, or checks on the
	// files failed. It is empty in the first prompt.
	RetryReason string
	// Continue is set if the last answer was valid but the work is not finished. Text then contains
	// the next instructions.
	Continue bool
}

// Form determines how the office parses an answer.
type Form string

// The possible forms of an answer. A plan, a result and a review are JSON objects; a reply is plain
// text.
const (
	FormPlan   Form = "plan"
	FormResult Form = "result"
	FormReply  Form = "reply"
	FormReview Form = "review" // Prompt.Text is set even for agents that accept work items
)

// Message is one message of a conversation.
type Message struct {
	Role   string // system, developer, user, assistant, tool or function
	Name   string
	Parts  []Part
	Calls  jsontext.Value // an assistant's tool calls, as the caller sent them
	CallID string         // id of the call that a tool's result belongs to
}

// Part is text or an image.
type Part struct {
	Text  string
	Image *Image
}

// Image is a picture in a message.
type Image struct {
	MIME   string
	Data   []byte
	Detail string // auto, low or high; empty leaves it to the agent
}

// Capabilities describes how an agent differs from one that accepts only text and remembers the
// conversation itself. The driver declares the capabilities. Unsupported parts of a prompt are
// rejected before they reach the agent.
type Capabilities struct {
	Messages   bool     // needs the whole conversation with every turn, because the agent has no memory
	Images     bool     // accepts images in messages
	Parameters []string // supported parameters of a chat completion request, under OpenAI's names
	Scripted   bool     // follows a script: its output is marked as a rehearsal
	Work       bool     // accepts the office's work items as data instead of text, and remembers nothing between items
	Workspace  bool     // works on tasks in a workspace even though the office starts no program for it
	Pulls      bool     // fetches its own tasks and messages and reports the results; the office starts no turns
}

// Parameter reports whether a parameter is supported.
func (c Capabilities) Parameter(name string) bool { return slices.Contains(c.Parameters, name) }

// CapabilitiesOf returns the result of a driver's Capabilities method, or the zero value if the
// driver has no such method.
func CapabilitiesOf(agent any) Capabilities {
	if t, ok := agent.(interface{ Capabilities() Capabilities }); ok {
		return t.Capabilities()
	}
	return Capabilities{}
}
