package responses

import (
	"strings"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/drive"
)

// Stream encodes an answer as the events of a Responses stream. Call Begin, then Text and Alive any
// number of times, then End or Fail; each returns the events to send.
type Stream struct {
	Response Response

	number int // sequence number of the next event
	text   strings.Builder
}

// event has the members of all types of events; Type determines which of them are set.
type event struct {
	Type         string      `json:"type"`
	Number       int         `json:"sequence_number"`
	Response     *object     `json:"response,omitzero"`
	ItemID       string      `json:"item_id,omitzero"`
	OutputIndex  *int        `json:"output_index,omitzero"`
	ContentIndex *int        `json:"content_index,omitzero"`
	Item         *output     `json:"item,omitzero"`
	Part         *outputText `json:"part,omitzero"`
	Delta        *string     `json:"delta,omitzero"`
	Text         *string     `json:"text,omitzero"`
	Logprobs     *[]struct{} `json:"logprobs,omitzero"`
}

// Begin returns the events before the first piece of text. The message is open from the start, so
// that a waiting caller can be sent empty pieces.
func (s *Stream) Begin() []byte {
	started, open, empty := s.Response.with("in_progress"), s.Response.message("in_progress"), newText("")
	return s.encode(
		event{Type: "response.created", Response: started},
		event{Type: "response.in_progress", Response: started},
		event{Type: "response.output_item.added", OutputIndex: new(int), Item: &open},
		s.inPart(event{Type: "response.content_part.added", Part: &empty}),
	)
}

// Text returns the event for a piece of the answer.
func (s *Stream) Text(text string) []byte {
	s.text.WriteString(text)
	return s.encode(s.inPart(event{Type: "response.output_text.delta", Delta: &text, Logprobs: &[]struct{}{}}))
}

// Alive returns an event with an empty piece of text, to show a waiting caller that the connection
// is alive.
func (s *Stream) Alive() []byte { return s.Text("") }

// Said returns the text of all pieces.
func (s *Stream) Said() string { return s.text.String() }

// End returns the last events of an answer, with the text of all pieces.
func (s *Stream) End(a drive.Answer) []byte {
	a.Text = s.Said()
	whole := s.Response.answered(a)
	item := &whole.Output[0]
	return s.encode(
		s.inPart(event{Type: "response.output_text.done", Text: &a.Text, Logprobs: &[]struct{}{}}),
		s.inPart(event{Type: "response.content_part.done", Part: &item.Content[0]}),
		event{Type: "response.output_item.done", OutputIndex: new(int), Item: item},
		event{Type: "response." + whole.Status, Response: whole},
	)
}

// Fail returns the last event of a turn that failed.
func (s *Stream) Fail(code, message string) []byte {
	failed := s.Response.with("failed")
	failed.Error = &failure{Code: code, Message: message}
	if said := s.Said(); said != "" {
		failed.Output = []output{s.Response.message("incomplete", said)}
	}
	return s.encode(event{Type: "response.failed", Response: failed})
}

// inPart returns e as an event about the only part of the only message.
func (s *Stream) inPart(e event) event {
	e.ItemID, e.OutputIndex, e.ContentIndex = s.Response.Message, new(int), new(int)
	return e
}

func (s *Stream) encode(list ...event) (frames []byte) {
	for _, e := range list {
		e.Number = s.number
		s.number++
		frames = append(frames, completion.Event(e.Type, e)...)
	}
	return frames
}
