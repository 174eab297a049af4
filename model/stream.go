package model

import (
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
)

// limitStreamTail is what a terminal can show of a stream, in bytes.
const limitStreamTail = 4000

// Stream is what an agent is writing now: the tail of the text.
type Stream struct {
	StreamID  string
	Kind      string
	Text      string
	Done      bool
	Rehearsal bool

	seq uint64
}

// foldDelta gives a stream after one more delta.
func foldDelta(view *Stream, d *contracts.StreamDelta) *Stream {
	going := view != nil && view.StreamID == d.StreamID
	if going && d.Seq <= view.seq && !d.CatchUp {
		return view
	}
	// The end of an older stream may come after the beginning of the next.
	if !going && view != nil && d.Done && !view.Done {
		return view
	}
	before := ""
	if going && !d.CatchUp {
		before = view.Text
	}
	return &Stream{d.StreamID, d.Kind, tail(before+Plain(d.Delta), limitStreamTail), d.Done, d.Rehearsal, d.Seq}
}

// tail never begins in the middle of a character.
func tail(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	cut := len(text) - limit
	for cut < len(text) && !utf8.RuneStart(text[cut]) {
		cut++
	}
	return text[cut:]
}
