package model

import (
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
)

// limitStreamTail is how many bytes at the end of a stream are kept.
const limitStreamTail = 4000

// Stream is the tail of the output that an agent is streaming.
type Stream struct {
	StreamID  string
	Kind      string
	Text      string
	Done      bool
	Rehearsal bool

	seq uint64
}

// foldDelta returns the stream after a delta. A repeated delta, or the late end of an older stream,
// changes nothing.
func foldDelta(view *Stream, d *contracts.StreamDelta) *Stream {
	going := view != nil && view.StreamID == d.StreamID
	if going && d.Seq <= view.seq && !d.CatchUp {
		return view
	}
	// The end of an older stream may arrive after the start of the next.
	if !going && view != nil && d.Done && !view.Done {
		return view
	}
	before := ""
	if going && !d.CatchUp {
		before = view.Text
	}
	return &Stream{d.StreamID, d.Kind, tail(before+Plain(d.Delta), limitStreamTail), d.Done, d.Rehearsal, d.Seq}
}

// tail returns at most the last limit bytes of text and never starts in the middle of a character.
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
