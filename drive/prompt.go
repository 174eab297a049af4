package drive

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// Prompt is what the agent is asked.
type Prompt struct {
	Text      string
	Images    []Image // that go with the text, in order; only for agents that take images
	ChatID    string
	MessageID string
	TS        int64

	// Messages is the whole conversation with the new message last; only for agents
	// that take messages. Text is the text of the last one then.
	Messages []Message

	// Parameters are how the caller wants the answer, by OpenAI's names; only those
	// that the agent takes.
	Parameters map[string]jsontext.Value

	// Form is what the office makes of the answer; empty for callers, who take any text.
	Form Form
	// Work is what the office wants done, with Read for the content of artifacts; only
	// for agents that take work. The others find it in Text.
	Work *contracts.Work
	Read func(ctx context.Context, a contracts.Artifact) (string, error)
	// Again says why the last answer cannot be used, when the office asks once more.
	Again string
}

// Form names what an answer becomes.
type Form string

// The forms of answers. A plan and a result are JSON objects, a reply is plain text.
const (
	FormPlan   Form = "plan"
	FormResult Form = "result"
	FormReply  Form = "reply"
)

// Message is one message of a conversation.
type Message struct {
	Role   string // system, developer, user, assistant, tool or function
	Name   string
	Parts  []Part
	Calls  jsontext.Value // tools that an assistant called, as the caller tells it
	CallID string         // of the call that a tool's result belongs to
}

// Part is a text or an image.
type Part struct {
	Text  string
	Image *Image
}

// Image is a picture in a message.
type Image struct {
	MIME   string
	Data   []byte
	Detail string // how closely to look: auto, low or high; empty leaves it to the agent
}

// Takes says what an agent can act on besides the text of a turn in a conversation
// that it remembers itself. Its driver or runner declares it; the zero value takes
// nothing more. What an agent does not take is refused before it is asked.
type Takes struct {
	Messages   bool     // the whole conversation with every turn; the agent remembers none
	Images     bool     // in messages
	Parameters []string // of a chat completion request, by OpenAI's names
	Scripted   bool     // it follows a script: what it makes is marked as a rehearsal
	Work       bool     // the office's work as it is: the agent needs no words for it, and keeps nothing from job to job
}

// Parameter reports whether a parameter is taken.
func (t Takes) Parameter(name string) bool { return slices.Contains(t.Parameters, name) }

// TakesOf is what a driver or runner declares with a method Takes.
func TakesOf(agent any) Takes {
	if t, ok := agent.(interface{ Takes() Takes }); ok {
		return t.Takes()
	}
	return Takes{}
}
