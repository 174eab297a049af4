// Package hud creates activity facts: turns, thinking, tool calls and received messages, in
// the shapes of the HUD protocol, each with a label for viewers.
//
// Facts from its constructors contain only clean text, as defined by contracts, and no credential
// that Redact recognizes. Their size is limited; larger results are returned separately. Tools and
// arguments have the HUD protocol's names, whatever a vendor calls them. As a result, tool output
// cannot produce a record that breaks the ledger or a viewer, and adapters cannot forget any of
// these steps.
//
// The package is pure: ids, times and durations are passed in.
package hud

import (
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json/jsontext"
)

// Source identifies the agent that a fact is about, and specifies how the agent's paths are shown.
type Source struct {
	AgentID   string
	Session   string
	TaskID    string
	Rehearsal bool
	Origin    string // origin of the agent's turns; if empty, the office sets it
	Roots     Roots
}

// Span links a start to its end: both have the same Correlation and Parent.
type Span struct {
	Correlation string // turn id, think id or the provider's call_* id
	Parent      string // correlation of the enclosing turn; empty for a turn
}

// TurnStart returns the start of a turn. The label says what the turn is about.
func TurnStart(s Source, id string, span Span, label string) contracts.HUD {
	h := s.event(id, contracts.HUDTurnStart, span)
	h.Label, h.Origin = Line(label, contracts.LimitPreview), s.Origin
	return h
}

// TurnEnd returns the end of a turn. An empty failure means success.
func TurnEnd(s Source, id string, span Span, took time.Duration, failure string) contracts.HUD {
	h := s.ended(id, contracts.HUDTurnEnd, span, took)
	if failure != "" {
		h.Result = Failure(failure)
	}
	return h
}

// Said prepares an agent's answer at the end of a turn for HUD.Said: it removes credentials and
// cuts the text at LimitFinalAnswer.
func Said(text string) string {
	text = strings.TrimSpace(Redact(contracts.CleanText(text)))
	if len(text) > contracts.LimitFinalAnswer {
		text = strings.TrimSpace(Cut(text, contracts.LimitFinalAnswer-len("…"))) + "…"
	}
	return text
}

// ThinkStart returns the start of a period of thinking.
func ThinkStart(s Source, id string, span Span) contracts.HUD {
	h := s.event(id, contracts.HUDThinkStart, span)
	h.Label = "Thinking"
	return h
}

// ThinkEnd returns the end of a period of thinking. An empty failure means success.
func ThinkEnd(s Source, id string, span Span, took time.Duration, failure string) contracts.HUD {
	h := s.ended(id, contracts.HUDThinkEnd, span, took)
	if failure != "" {
		h.Result = Failure(failure)
	}
	return h
}

// Thought returns the end of a period of thinking with its text, cut at LimitHUDInline. If text is
// empty, no text is stored: thoughts are stored only if the operator asks for them.
func Thought(s Source, id string, span Span, took time.Duration, text string) contracts.HUD {
	h := s.ended(id, contracts.HUDThinkEnd, span, took)
	if text != "" {
		h.Result = Bound(Value(thoughtResult{OK: true, Text: text, Bytes: len(text)}))
	}
	return h
}

// ToolStart returns the start of a tool call.
func ToolStart(s Source, id string, span Span, call Call) contracts.HUD {
	call = Canonical(call)
	h := s.event(id, contracts.HUDToolStart, span)
	h.Args = Bound(call.Args)
	h.Label = labelled(Call{call.Tool, h.Args}, FileArea{}, s.Roots)
	h.Tool = Line(call.Tool, contracts.LimitName)
	return h
}

// ToolEnd returns the end of a tool call with its result: a Result, or anything that can be encoded
// as JSON. If the result is too large for a record, the fact contains part of it and the hash of
// whole. The caller must then store whole with PutBlob before reporting the fact. If the result
// fits, whole is nil.
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

// EndOf returns the missing end fact for a recorded start fact, with paths shortened according to
// roots. ok is false if start is not a start fact.
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
		end.Label = start.Label                                              // keep the label of the start
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

// ForeignID returns another program's id in a form that records accept: an unsuitable id is
// replaced by a hash, so that a start still matches its end.
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

// Call is a tool call: the tool and its arguments.
type Call struct {
	Tool string
	Args jsontext.Value
}
