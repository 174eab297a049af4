// Package hud makes facts of activity: turns, thinking, tool calls and what was
// received, in the shapes of the HUD protocol, each with a label to show.
//
// Whatever its constructors return holds no credential that Redact knows, only
// what contracts calls clean text, and is bounded by LimitHUDInline; the whole of
// a larger result comes beside it. Tools and arguments have the names of seed 001,
// whatever a vendor calls them. So nothing a tool says makes a record that the
// ledger or a viewer chokes on, and no adapter can forget any of it.
//
// It is pure: ids, times and durations are passed in.
package hud

import (
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json/jsontext"
)

// Source says whose activity it is, and from where its paths are seen.
type Source struct {
	AgentID   string
	Session   string
	TaskID    string
	Rehearsal bool
	Origin    string // of its turns; empty leaves that to the office
	Roots     Roots
}

// Span names a start and its end: the pair shares Correlation and Parent.
type Span struct {
	Correlation string // turn id, think id or the provider's call_* id
	Parent      string // correlation of the turn around it; empty for a turn
}

// TurnStart opens a turn. The label says what the turn is about.
func TurnStart(s Source, id string, span Span, label string) contracts.HUD {
	h := s.event(id, contracts.HUDTurnStart, span)
	h.Label, h.Origin = Line(label, contracts.LimitPreview), s.Origin
	return h
}

// TurnEnd closes a turn. An empty failure means that the turn went well.
func TurnEnd(s Source, id string, span Span, took time.Duration, failure string) contracts.HUD {
	h := s.ended(id, contracts.HUDTurnEnd, span, took)
	if failure != "" {
		h.Result = Failure(failure)
	}
	return h
}

// Said is what an agent said at the end of a turn, fit for HUD.Said: without
// credentials, and cut at LimitSaid.
func Said(text string) string {
	text = strings.TrimSpace(Redact(contracts.CleanText(text)))
	if len(text) > contracts.LimitSaid {
		text = strings.TrimSpace(Cut(text, contracts.LimitSaid-len("…"))) + "…"
	}
	return text
}

// ThinkStart opens a stretch of thinking.
func ThinkStart(s Source, id string, span Span) contracts.HUD {
	h := s.event(id, contracts.HUDThinkStart, span)
	h.Label = "Thinking"
	return h
}

// ThinkEnd closes a stretch of thinking. An empty failure means that it came to
// its end.
func ThinkEnd(s Source, id string, span Span, took time.Duration, failure string) contracts.HUD {
	h := s.ended(id, contracts.HUDThinkEnd, span, took)
	if failure != "" {
		h.Result = Failure(failure)
	}
	return h
}

// Thought closes a stretch of thinking and keeps its text, cut at LimitHUDInline.
// An empty text keeps nothing: what an agent thinks is stored only when the
// operator asks for it.
func Thought(s Source, id string, span Span, took time.Duration, text string) contracts.HUD {
	h := s.ended(id, contracts.HUDThinkEnd, span, took)
	if text != "" {
		h.Result = Bound(Value(thoughtResult{OK: true, Text: text, Bytes: len(text)}))
	}
	return h
}

// ToolStart opens a tool call.
func ToolStart(s Source, id string, span Span, call Call) contracts.HUD {
	call = Canonical(call)
	h := s.event(id, contracts.HUDToolStart, span)
	h.Args = Bound(call.Args)
	h.Label = labelled(Call{call.Tool, h.Args}, FileArea{}, s.Roots)
	h.Tool = Line(call.Tool, contracts.LimitName)
	return h
}

// ToolEnd closes a tool call with its result: a Result, or anything that JSON can
// say. When the result is too large to travel, the fact carries a part of it and
// the hash of whole, which the caller stores by PutBlob before it tells the fact;
// otherwise whole is nil.
func ToolEnd(s Source, id string, span Span, call Call, result any, took time.Duration) (end contracts.HUD, whole []byte) {
	call = Canonical(call)
	end = s.ended(id, contracts.HUDToolEnd, span, took)
	var area FileArea
	if r, ok := result.(Result); ok {
		r = r.seenFrom(s.Roots)
		area = r.lines()
		end.Result, whole = split(id, recorded(r))
	} else {
		end.Result, whole = Split(id, Value(result))
		area = areaOf(end.Result)
	}
	if whole != nil {
		end.ResultSHA256 = contentName(whole)
	}
	end.Label = labelled(Call{call.Tool, Bound(call.Args)}, area, s.Roots)
	end.Tool = Line(call.Tool, contracts.LimitName)
	return end, whole
}

// EndOf closes what a recorded start opened and nobody ended; its paths are seen
// from the roots. It is false for what is no start.
func EndOf(start contracts.HUD, id string, took time.Duration, failure string, roots Roots) (end contracts.HUD, ok bool) {
	s := Source{AgentID: start.AgentID, Session: start.Session, TaskID: start.TaskID, Rehearsal: start.Rehearsal, Roots: roots}
	span := Span{Correlation: start.CorrelationID, Parent: start.ParentID}
	switch start.Event {
	case contracts.HUDTurnStart:
		return TurnEnd(s, id, span, took, failure), true
	case contracts.HUDThinkStart:
		return ThinkEnd(s, id, span, took, failure), true
	case contracts.HUDToolStart:
		call := Call{Tool: start.Tool, Args: start.Args}
		end, _ = ToolEnd(s, id, span, call, FailedCall(call, failure), took) // a failure is never large
		end.Label = start.Label                                              // as it was shown so far
		return end, true
	}
	return contracts.HUD{}, false
}

func (s Source) event(id string, event contracts.HUDEvent, span Span) contracts.HUD {
	return contracts.HUD{
		UUID: id, Event: event, CorrelationID: ForeignID(span.Correlation), ParentID: ForeignID(span.Parent),
		AgentID: s.AgentID, Session: ForeignID(s.Session), TaskID: s.TaskID, Rehearsal: s.Rehearsal,
	}
}

func (s Source) ended(id string, event contracts.HUDEvent, span Span, took time.Duration) contracts.HUD {
	h := s.event(id, event, span)
	h.DurationMS = new(max(took.Milliseconds(), 0))
	return h
}

// ForeignID keeps an id that somebody else made. One that no record should carry
// is named after its content instead, so that a start still finds its end.
func ForeignID(id string) string {
	if len(id) <= contracts.LimitID && contracts.CleanLine(id) == id {
		return id
	}
	return contracts.DerivedUUID("foreign", id)
}

type thoughtResult struct {
	OK        bool   `json:"ok"`
	Text      string `json:"text"`
	Bytes     int    `json:"bytes"`
	Truncated bool   `json:"truncated"`
}

// Call is what a tool was asked to do.
type Call struct {
	Tool string
	Args jsontext.Value
}
