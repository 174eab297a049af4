package contracts

import (
	"net/url"
	"strconv"
	"strings"
)

// EventID is the id of a server-sent event: the seq of its record. If a stream was requested with
// ?segment=, its ids also contain the segment, because a browser reconnects with the original URL,
// and the segment in that URL may be out of date by then.
type EventID struct {
	Seq     uint64
	Segment string // empty if the ids of the stream do not include it
}

// Append appends the id in its wire form: "430" or "430.l3x9".
func (id EventID) Append(dst []byte) []byte {
	dst = strconv.AppendUint(dst, id.Seq, 10)
	if id.Segment != "" {
		dst = append(append(dst, '.'), id.Segment...)
	}
	return dst
}

// HeaderEpoch and HeaderSegment are the HTTP headers that identify the history to which the cursors
// in a response belong.
const (
	HeaderEpoch   = "Bullpen-Epoch"
	HeaderSegment = "Bullpen-Segment"
)

// StreamCursor is the position from which a client continues a stream of server-sent events.
type StreamCursor struct {
	EventID
	Given      bool   // false if the client has no cursor
	Epoch      string // ledger identity sent by the client; empty if unknown
	HasSegment bool   // the client's ids include the segment
}

// ReadStreamCursor reads the cursor from Last-Event-ID or, without that header, from ?after=,
// together with ?epoch= and ?segment=. If Last-Event-ID contains a segment, ?epoch= and ?segment=
// are ignored.
func ReadStreamCursor(query url.Values, lastEventID string) (c StreamCursor, refusal *Refusal) {
	c.Epoch, c.Segment, c.HasSegment = query.Get("epoch"), query.Get("segment"), query.Has("segment")
	field, text := "after", query.Get("after")
	if lastEventID != "" {
		seq, segment, hasSegment := strings.Cut(lastEventID, ".")
		if hasSegment && !isSegment(segment) {
			return c, RefuseField("Last-Event-ID", "Last-Event-ID must be the id of an event in this stream")
		}
		if field, text = "Last-Event-ID", seq; hasSegment {
			c.Epoch, c.Segment, c.HasSegment = "", segment, true
		}
	}
	if c.Given = text != "" || lastEventID != ""; !c.Given {
		return c, nil
	}
	var err error
	if c.Seq, err = strconv.ParseUint(text, 10, 63); err != nil {
		return c, RefuseField(field, "%s must be a whole number, 0 or more", field)
	}
	return c, nil
}

// Lost reports whether the cursor belongs to a history other than the ledger's, or is beyond the
// ledger's head.
func (c StreamCursor) Lost(l interface {
	ID() string
	Head() uint64
	Holds(segment string, seq uint64) bool
}) bool {
	return c.Epoch != "" && c.Epoch != l.ID() || c.Given && (c.Seq > l.Head() || c.Segment != "" && !l.Holds(c.Segment, c.Seq))
}

func isSegment(s string) bool {
	return s != "" && len(s) <= LimitID && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}
