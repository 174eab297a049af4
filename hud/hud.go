// Package hud makes facts of activity: turns, thinking, tool calls and what was
// received, in the shapes of the HUD protocol, each with a label to show.
//
// It is pure: ids and durations are passed in, nothing is kept between calls.
// Whatever it returns is bounded by LimitHUDInline and holds only what contracts
// calls clean text, so that nothing a tool says makes a record that the ledger or
// a viewer chokes on.
package hud

import (
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json/jsontext"
)

// Source says whose activity it is.
type Source struct {
	AgentID   string
	Session   string
	TaskID    string
	Rehearsal bool
}

// Span names a start and its end: the pair shares Correlation and Parent.
type Span struct {
	Correlation string // turn id, think id or the provider's call_* id
	Parent      string // correlation of the turn around it; empty for a turn
}

// Call is what a tool was asked to do.
type Call struct {
	Tool string
	Args jsontext.Value
}

// TurnStart opens a turn. The label says what the turn is about.
func TurnStart(s Source, id string, span Span, label string) contracts.HUD {
	h := s.event(id, contracts.HUDTurnStart, span)
	h.Label = Shorten(label, contracts.LimitPreview)
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

// ToolStart opens a tool call.
func ToolStart(s Source, id string, span Span, call Call) contracts.HUD {
	h := s.event(id, contracts.HUDToolStart, span)
	h.Tool = Shorten(call.Tool, contracts.LimitName)
	h.Args = Bound(call.Args)
	h.Label = Label(call, nil)
	return h
}

// ToolEnd closes a tool call with its result.
func ToolEnd(s Source, id string, span Span, call Call, result jsontext.Value, took time.Duration) contracts.HUD {
	h := s.ended(id, contracts.HUDToolEnd, span, took)
	h.Tool = Shorten(call.Tool, contracts.LimitName)
	h.Result = Bound(result)
	h.Label = Label(call, h.Result)
	return h
}

// EndOf closes what a recorded start opened and nobody ended. It is false for
// what is no start.
func EndOf(start contracts.HUD, id string, took time.Duration, failure string) (end contracts.HUD, ok bool) {
	s := Source{AgentID: start.AgentID, Session: start.Session, TaskID: start.TaskID, Rehearsal: start.Rehearsal}
	span := Span{Correlation: start.CorrelationID, Parent: start.ParentID}
	switch start.Event {
	case contracts.HUDTurnStart:
		return TurnEnd(s, id, span, took, failure), true
	case contracts.HUDThinkStart:
		return ThinkEnd(s, id, span, took, failure), true
	case contracts.HUDToolStart:
		call := Call{Tool: start.Tool, Args: start.Args}
		return ToolEnd(s, id, span, call, FailedCall(call, failure), took), true
	}
	return contracts.HUD{}, false
}

// Received is an instantaneous acknowledgement; it has no end.
func Received(s Source, id, subtype, label string, payload jsontext.Value) contracts.HUD {
	h := s.event(id, contracts.HUDReceived, Span{})
	h.Subtype = subtype
	h.Label = Shorten(label, contracts.LimitPreview)
	h.Payload = Bound(payload)
	return h
}

func (s Source) event(id string, event contracts.HUDEvent, span Span) contracts.HUD {
	return contracts.HUD{
		UUID: id, Event: event, CorrelationID: span.Correlation, ParentID: span.Parent,
		AgentID: s.AgentID, Session: s.Session, TaskID: s.TaskID, Rehearsal: s.Rehearsal,
	}
}

func (s Source) ended(id string, event contracts.HUDEvent, span Span, took time.Duration) contracts.HUD {
	h := s.event(id, event, span)
	ms := max(took.Milliseconds(), 0)
	h.DurationMS = &ms
	return h
}
