package bridge

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// chunks encodes a turn as chat completion chunks.
type chunks struct {
	id      string
	created int64
	model   string
	usage   bool // the caller requested a usage chunk
	whole   bool // send the whole answer as one content delta

	head []byte // start of a text frame; encoded once, because only the text differs
	buf  []byte // reused between frames
}

// chunk is OpenAI's chat.completion.chunk or chat.completion.
type chunk struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *tokens  `json:"usage,omitzero"`
}

type choice struct {
	Index        int     `json:"index"`
	Delta        *delta  `json:"delta,omitzero"`
	Message      *reply  `json:"message,omitzero"`
	FinishReason *string `json:"finish_reason"`
}

type delta struct {
	Role    string  `json:"role,omitzero"`
	Content *string `json:"content,omitzero"`
}

type reply struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type tokens struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
}

// tokensOf returns the usage in OpenAI's format, or nil if the agent reported none, because unknown
// usage is not zero usage.
func tokensOf(u contracts.Usage) *tokens {
	if !u.Reported() {
		return nil
	}
	in := u.TokensIn + u.CacheRead + u.CacheWrite
	return &tokens{Prompt: in, Completion: u.TokensOut, Total: in + u.TokensOut}
}

// finishReason returns the finish_reason of an answer: "length" if it was cut off, else "stop".
func finishReason(a drive.Answer) *string {
	reason := "stop"
	if a.Cut {
		reason = "length"
	}
	return &reason
}

// completion returns the whole answer as one chat.completion.
func (c *chunks) completion(a drive.Answer) ([]byte, error) {
	return json.Marshal(chunk{
		ID: c.id, Object: "chat.completion", Created: c.created, Model: c.model, Usage: tokensOf(a.Usage),
		Choices: []choice{{Message: &reply{Role: "assistant", Content: a.Text}, FinishReason: finishReason(a)}},
	})
}

// Begin returns the chunk with the role.
func (c *chunks) Begin() []byte { return c.encode(delta{Role: "assistant", Content: new(string)}, nil) }

// Text returns the chunk for a piece of text; empty if the answer is sent whole.
func (c *chunks) Text(text string) []byte {
	if c.whole {
		return nil
	}
	return c.textFrame(text)
}

// Alive returns an empty content delta.
func (c *chunks) Alive() []byte { return c.textFrame("") }

// End returns the chunk with the finish reason, the usage if requested and known, and [DONE].
func (c *chunks) End(a drive.Answer) (frames []byte) {
	if c.whole {
		frames = append(frames, c.textFrame(a.Text)...)
	}
	frames = append(frames, c.encode(delta{}, finishReason(a))...)
	if used := tokensOf(a.Usage); c.usage && used != nil {
		frames = append(frames, c.frame(chunk{Choices: []choice{}, Usage: used})...)
	}
	return append(frames, done...)
}

// Fail returns an event with the error, followed by [DONE].
func (c *chunks) Fail(p *problem) []byte { return append(event(p.body()), done...) }

const done = "data: [DONE]\n\n"

// textTail is the end of a text frame, after head and the quoted text.
const textTail = `},"finish_reason":null}]}` + "\n\n"

// textFrame returns a piece of the answer as one frame, identical to an encoded chunk.
func (c *chunks) textFrame(text string) []byte {
	if c.head == nil {
		whole := c.encode(delta{Content: new(string)}, nil)
		c.head = whole[:len(whole)-len(`""`+textTail)]
	}
	c.buf, _ = jsontext.AppendQuote(append(c.buf[:0], c.head...), text) // replaces invalid UTF-8
	c.buf = append(c.buf, textTail...)
	return c.buf
}

func (c *chunks) encode(d delta, finish *string) []byte {
	return c.frame(chunk{Choices: []choice{{Delta: &d, FinishReason: finish}}})
}

// frame returns a chunk as an event, with the fields that all chunks of a stream share.
func (c *chunks) frame(k chunk) []byte {
	k.ID, k.Object, k.Created, k.Model = c.id, "chat.completion.chunk", c.created, c.model
	body, err := json.Marshal(k)
	if err != nil {
		return event(asProblem(err).body())
	}
	return event(body)
}

// event returns one server-sent event.
func event(data []byte) []byte {
	return append(append([]byte("data: "), data...), '\n', '\n')
}
