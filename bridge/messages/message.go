package messages

import (
	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// Message identifies an answer and encodes it, either as a whole or as the events of a stream. For
// a stream, call Begin, then Text and Alive any number of times, then End or Fail.
type Message struct {
	ID    string
	Model string
}

// object is Anthropic's message object.
type object struct {
	ID           string  `json:"id"`
	Type         string  `json:"type"`
	Role         string  `json:"role"`
	Model        string  `json:"model"`
	Content      []text  `json:"content"`
	StopReason   *string `json:"stop_reason"`
	StopSequence *string `json:"stop_sequence"`
	Usage        *tokens `json:"usage"`
}

type text struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// tokens is a usage report. The protocol cannot express unknown usage: if an agent reports none,
// the counts are zero and reported is false.
type tokens struct {
	Input      int64 `json:"input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	Output     int64 `json:"output_tokens"`
	Reported   *bool `json:"reported,omitzero"`
}

func tokensOf(u contracts.Usage) *tokens {
	t := &tokens{Input: u.TokensIn, CacheWrite: u.CacheWrite, CacheRead: u.CacheRead, Output: u.TokensOut}
	if !u.Reported() {
		t.Reported = new(bool)
	}
	return t
}

// stopOf returns the stop_reason of an answer: max_tokens if it was cut off, otherwise end_turn.
func stopOf(a drive.Answer) *string {
	reason := "end_turn"
	if a.Cut {
		reason = "max_tokens"
	}
	return &reason
}

func (m Message) object(content ...text) object {
	return object{ID: m.ID, Type: "message", Role: "assistant", Model: m.Model, Content: append([]text{}, content...), Usage: &tokens{}}
}

// Whole returns the message as JSON.
func (m Message) Whole(a drive.Answer) ([]byte, error) {
	o := m.object(text{Type: typeText, Text: a.Text})
	o.StopReason, o.Usage = stopOf(a), tokensOf(a.Usage)
	return completion.Encode(o)
}

// event has the members of all event types; Type determines which of them are set.
type event struct {
	Type    string  `json:"type"`
	Message *object `json:"message,omitzero"`
	Index   *int    `json:"index,omitzero"`
	Block   *text   `json:"content_block,omitzero"`
	Delta   any     `json:"delta,omitzero"`
	Usage   *tokens `json:"usage,omitzero"`
}

type stop struct {
	Reason   *string `json:"stop_reason"`
	Sequence *string `json:"stop_sequence"`
}

// Begin returns the events before the first piece of text. Usage is not known until the end.
func (m Message) Begin() []byte {
	o := m.object()
	return frames(
		event{Type: "message_start", Message: &o},
		event{Type: "content_block_start", Index: new(int), Block: &text{Type: typeText}},
		event{Type: "ping"},
	)
}

// Text returns the event for a piece of the answer.
func (m Message) Text(piece string) []byte {
	return frames(event{Type: "content_block_delta", Index: new(int), Delta: text{Type: "text_delta", Text: piece}})
}

// Alive returns a ping.
func (m Message) Alive() []byte { return frames(event{Type: "ping"}) }

// End returns the last events of an answer.
func (m Message) End(a drive.Answer) []byte {
	return frames(
		event{Type: "content_block_stop", Index: new(int)},
		event{Type: "message_delta", Delta: stop{Reason: stopOf(a)}, Usage: tokensOf(a.Usage)},
		event{Type: "message_stop"},
	)
}

// Fail returns the last event of a turn that failed. problem is the error in Anthropic's format.
func (m Message) Fail(problem any) []byte { return completion.Event("error", problem) }

func frames(list ...event) (all []byte) {
	for _, e := range list {
		all = append(all, completion.Event(e.Type, e)...)
	}
	return all
}

// Estimate returns a rough estimate of the number of tokens in messages, because the office does
// not know how an agent's model counts tokens.
func Estimate(list []drive.Message) int {
	const bytesPerToken, imageTokens = 4, 1600
	tokens := 0
	for _, m := range list {
		bytes := len(m.Calls)
		for _, p := range m.Parts {
			bytes += len(p.Text)
			if p.Image != nil {
				tokens += imageTokens
			}
		}
		tokens += (bytes + bytesPerToken - 1) / bytesPerToken
	}
	return tokens
}
