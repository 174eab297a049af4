package completions

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// Chunk is one chunk of an answer.
type Chunk struct {
	Model   String   `json:"model"`
	Choices []Choice `json:"choices"`
	Usage   *Usage   `json:"usage"` // nil if the endpoint did not report it
}

// Choice is the part of a chunk that belongs to one answer. Endpoints may return several
// alternative answers.
type Choice struct {
	Index  Count  `json:"index"`
	Delta  Delta  `json:"delta"`
	Finish String `json:"finish_reason"` // empty until the answer ends
}

// Delta is the part of the message that a chunk adds.
type Delta struct {
	Content   String     `json:"content"`
	Refusal   String     `json:"refusal"`
	ToolCalls []ToolCall `json:"tool_calls"`

	// Endpoints use one of two names for reasoning.
	ReasoningContent String `json:"reasoning_content"`
	Reasoning        String `json:"reasoning"`
}

// Thought returns the reasoning that some endpoints stream along with the answer.
func (d Delta) Thought() string {
	if d.ReasoningContent != "" {
		return string(d.ReasoningContent)
	}
	return string(d.Reasoning)
}

// ToolCall is a fragment of a tool call that the model wants to make. The first fragment has the
// name; the arguments are spread over many fragments.
type ToolCall struct {
	Index    Count  `json:"index"`
	ID       String `json:"id"`
	Function struct {
		Name      String `json:"name"`
		Arguments String `json:"arguments"`
	} `json:"function"`
}

// Usage is a call's usage as reported by the endpoint.
type Usage struct {
	PromptTokens     Count `json:"prompt_tokens"`
	CompletionTokens Count `json:"completion_tokens"`
	TotalTokens      Count `json:"total_tokens"`
	PromptDetails    struct {
		CachedTokens Count `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// String is a JSON string; any other value, such as null or a list, is read as empty.
type String string

func (s *String) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	*s = ""
	if d.PeekKind() != jsontext.KindString {
		return d.SkipValue()
	}
	return json.UnmarshalDecode(d, (*string)(s))
}

// Count is a number from 0 to LimitModelTokens. Other numbers are clamped to that range; values
// that are not numbers are read as 0.
type Count int64

func (c *Count) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	v, err := d.ReadValue()
	if err != nil {
		return err
	}
	*c = 0
	var n float64
	if v.Kind() == jsontext.KindNumber && json.Unmarshal(v, &n) == nil {
		*c = Count(min(max(n, 0), contracts.LimitModelTokens))
	}
	return nil
}

// lenient accepts the invalid JSON that real endpoints send: duplicate names, and text that is cut
// inside a character.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// events reads a stream of server-sent events to its end and calls take with each chunk. It stops
// at the first error.
func (c *Client) events(r io.Reader, take func(Chunk) error) error {
	limited := &io.LimitedReader{R: r, N: contracts.LimitModelStream + 1}
	in := &eventReader{r: bufio.NewReader(limited)}
	for {
		data, err := in.next()
		switch {
		case limited.N <= 0:
			return &ProtocolError{Reason: fmt.Sprintf("the stream exceeds %d bytes", contracts.LimitModelStream)}
		case err == io.EOF, err == nil && bytes.HasPrefix(data, []byte("[DONE]")):
			return nil
		case err != nil:
			return err
		}
		if err := c.event(data, take); err != nil {
			return err
		}
	}
}

func (c *Client) event(data []byte, take func(Chunk) error) error {
	var event struct {
		Chunk
		Error jsontext.Value `json:"error"`
	}
	if err := json.Unmarshal(data, &event, lenient); err != nil {
		return &ProtocolError{Reason: "the endpoint sent an event that is not a chat completion chunk", Temporary: true}
	}
	if isSet(event.Error) {
		return &StreamError{Message: c.message(event.Error)}
	}
	return take(event.Chunk)
}

// readResponse reads a response that is not streamed and passes it to take as a single chunk.
func (c *Client) readResponse(r io.Reader, take func(Chunk) error) error {
	body, err := readAll(r, contracts.LimitModelEvent)
	if err != nil {
		return err
	}
	var answer struct {
		Model   String         `json:"model"`
		Usage   *Usage         `json:"usage"`
		Error   jsontext.Value `json:"error"`
		Choices []struct {
			Index   Count  `json:"index"`
			Message Delta  `json:"message"`
			Finish  String `json:"finish_reason"`
		} `json:"choices"`
	}
	err = json.Unmarshal(body, &answer, lenient)
	switch {
	case err == nil && isSet(answer.Error):
		return &StreamError{Message: c.message(answer.Error)}
	case err != nil || len(answer.Choices) == 0:
		return &ProtocolError{Reason: "the endpoint returned JSON that is not a chat completion; check base_url, which usually ends with /v1", Temporary: err != nil}
	}
	chunk := Chunk{Model: answer.Model, Usage: answer.Usage}
	for _, choice := range answer.Choices {
		for i := range choice.Message.ToolCalls {
			choice.Message.ToolCalls[i].Index = Count(i) // the index of a call in a whole answer is its position
		}
		chunk.Choices = append(chunk.Choices, Choice{Index: choice.Index, Delta: choice.Message, Finish: choice.Finish})
	}
	return take(chunk)
}

// isSet reports whether a member is present and not null.
func isSet(v jsontext.Value) bool { return len(v) > 0 && v.Kind() != jsontext.KindNull }

// eventReader reads the data of server-sent events.
type eventReader struct {
	r    *bufio.Reader
	line []byte
	data []byte
}

// next returns the data of the next event, valid until the following call. An incomplete event at
// the end of the stream is dropped, as the standard requires.
func (e *eventReader) next() ([]byte, error) {
	e.data = e.data[:0]
	for {
		line, err := e.readLine()
		if err != nil {
			return nil, err
		}
		if len(line) == 0 {
			if len(e.data) > 0 {
				return e.data, nil
			}
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if string(name) != "data" {
			continue
		}
		if len(e.data)+len(value) > contracts.LimitModelEvent {
			return nil, errEventTooLong
		}
		if len(e.data) > 0 {
			e.data = append(e.data, '\n')
		}
		e.data = append(e.data, bytes.TrimPrefix(value, []byte(" "))...)
	}
}

// readLine returns a line without the line ending, valid until the next call.
func (e *eventReader) readLine() ([]byte, error) {
	e.line = e.line[:0]
	for {
		part, err := e.r.ReadSlice('\n')
		if len(e.line)+len(part) > contracts.LimitModelEvent {
			return nil, errEventTooLong
		}
		e.line = append(e.line, part...)
		switch {
		case err == nil:
			return bytes.TrimSuffix(e.line[:len(e.line)-1], []byte("\r")), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

var errEventTooLong = &ProtocolError{Reason: fmt.Sprintf("the endpoint sent an event larger than %d bytes", contracts.LimitModelEvent)}
