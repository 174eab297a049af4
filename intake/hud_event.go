package intake

import (
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
)

// hudEvent is a HUD event: activity in the format of the HUD protocol.
type hudEvent struct {
	Event       contracts.HUDEvent
	Correlation string
	Parent      string
	Call        hud.Call
	Result      jsontext.Value
	Subtype     hud.Subtype
	Label       string
	Payload     jsontext.Value
	Said        string
	Took        *time.Duration // nil if unknown
}

var hudEvents = []contracts.HUDEvent{
	contracts.HUDTurnStart, contracts.HUDTurnEnd, contracts.HUDThinkStart, contracts.HUDThinkEnd,
	contracts.HUDToolStart, contracts.HUDToolEnd, contracts.HUDReceived,
}

var hudSubtypes = []hud.Subtype{
	hud.SubtypeNewSession, hud.SubtypeAgentSwitch, hud.SubtypeStop, hud.SubtypeKill, hud.SubtypeHandover, hud.SubtypeReconnect, hud.SubtypeMessage,
}

// isHUD reports whether o is a HUD event, flat or in the socket's envelope.
func isHUD(o object) bool { return o.text("type") == "hud" }

// readHUD reads a HUD event. Missing fields are taken from the request.
func readHUD(o object, all event) event {
	flat := o
	if _, ok := o["event"]; !ok {
		if inner, ok := members(o["payload"]); ok {
			flat = inner
		}
	}
	h := &hudEvent{
		Event: contracts.HUDEvent(flat.text("event")), Correlation: flat.text("correlationId"), Parent: flat.text("parentId"),
		Call: hud.Call{Tool: flat.text("tool"), Args: flat["args"]}, Result: flat["result"],
		Subtype: hud.Subtype(flat.text("subtype")), Label: flat.text("label"), Said: flat.text("said"),
	}
	if h.Event == contracts.HUDReceived {
		h.Payload = flat["payload"]
	}
	var ms float64
	if json.Unmarshal(flat["durationMs"], &ms) == nil && ms >= 0 && ms <= float64(contracts.LimitHUDDuration.Milliseconds()) {
		h.Took = new(time.Duration(ms) * time.Millisecond)
	}
	e := all.with(event{
		id: o.text("id"), source: o.text("source"), agent: textOf(flat, o, "agent", "agent_id"),
		run: textOf(flat, o, "run_id", "run"), session: textOf(flat, o, "session", "session_id"), ts: o.millis("ts", "at"),
	})
	e.hud, e.refusal = h, h.check()
	return e
}

// textOf returns the first of the named strings that the event contains. If the event contains none
// of them, textOf looks in the envelope.
func textOf(flat, around object, names ...string) string {
	if s := flat.text(names...); s != "" {
		return s
	}
	return around.text(names...)
}

// check returns a refusal if the event is invalid, otherwise nil.
func (h *hudEvent) check() *contracts.Refusal {
	named := func(s string) string { return contracts.Clip(contracts.CleanLine(s), contracts.LimitName) }
	switch {
	case !slices.Contains(hudEvents, h.Event):
		return contracts.RefuseField("event", "unknown HUD event %q; use one of %s", named(string(h.Event)), joined(hudEvents))
	case h.Event == contracts.HUDReceived && !slices.Contains(hudSubtypes, h.Subtype):
		return contracts.RefuseField("subtype", "unknown subtype %q for a received event; use one of %s", named(string(h.Subtype)), joined(hudSubtypes))
	case h.Event == contracts.HUDToolStart && contracts.Blank(h.Call.Tool):
		return contracts.RefuseField("tool", "tool_start needs a tool")
	case h.Event == contracts.HUDToolEnd && contracts.Blank(h.Call.Tool) && h.Correlation == "":
		return contracts.RefuseField("correlationId", "tool_end needs a correlationId or a tool")
	}
	return nil
}

func joined[T ~string](list []T) string {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = string(w)
	}
	return strings.Join(words, ", ")
}

// span returns the kind of span that the event starts or ends.
func (h *hudEvent) span() spanKind {
	switch h.Event {
	case contracts.HUDTurnStart, contracts.HUDTurnEnd:
		return spanTurn
	case contracts.HUDThinkStart, contracts.HUDThinkEnd:
		return spanThink
	}
	return spanTool
}

func (h *hudEvent) ends() bool { return strings.HasSuffix(string(h.Event), "_end") }

// fact returns the recorded form of the event. For an end event, c is the call that it ends. whole is
// the complete result if it is too large to record, otherwise nil.
func (h *hudEvent) fact(source hud.Source, id string, c openCall, took time.Duration) (fact contracts.HUD, whole []byte) {
	span := hud.Span{Correlation: c.id, Parent: c.parent}
	failure := failureOf(h.Result)
	switch h.Event {
	case contracts.HUDTurnStart:
		fact = hud.TurnStart(source, id, span, h.Label)
	case contracts.HUDTurnEnd:
		fact = hud.TurnEnd(source, id, span, took, failure)
		fact.Said = hud.Said(h.Said)
	case contracts.HUDThinkStart:
		fact = hud.ThinkStart(source, id, span)
	case contracts.HUDThinkEnd:
		fact = hud.ThinkEnd(source, id, span, took, failure)
	case contracts.HUDToolStart:
		fact = hud.ToolStart(source, id, span, h.Call)
	case contracts.HUDToolEnd:
		result := hud.ValueResult(c.call, h.Result, shownResult(h.Result))
		if _, shaped := hud.ObjectResult(c.call, h.Result); failure != "" && !shaped {
			result = hud.Failed(result, failure)
		}
		fact, whole = hud.ToolEnd(source, id, span, c.call, result, took)
	case contracts.HUDReceived:
		fact = hud.Received(source, id, h.Subtype, h.Label, h.Payload)
	}
	return fact, whole
}

// failureOf returns the error in the result of a failed call, or "" if the call did not fail.
func failureOf(result jsontext.Value) string {
	var r struct {
		OK    *bool  `json:"ok"`
		Error string `json:"error"`
	}
	if result.Kind() != '{' {
		return ""
	}
	mismatched, _ := hud.Decode(result, &r) // an object with another shape lacks these members
	if slices.Contains(mismatched, "/ok") {
		return hud.UnknownOutcome
	}
	if r.OK == nil || *r.OK {
		return ""
	}
	if r.Error == "" {
		return "it failed"
	}
	return r.Error
}

// shownResult returns a result as text: a string as it is, anything else as JSON.
func shownResult(v jsontext.Value) string {
	var s string
	if json.Unmarshal(v, &s, lenient) == nil {
		return s
	}
	return string(v)
}

// evidence returns the event as evidence about its agent.
func (h *hudEvent) evidence(fact contracts.HUD, at int64) status.Evidence {
	e := status.Evidence{Source: contracts.FromEvent, At: at}
	switch h.Event {
	case contracts.HUDTurnStart:
		e.Claim, e.Says, e.Line = status.TurnStarted, "started a turn", line(h.Label)
	case contracts.HUDTurnEnd:
		e.Claim, e.Says = status.TurnEnded, "turn ended"
	case contracts.HUDThinkStart:
		e.Claim, e.Says = status.Sign, "thinking"
	case contracts.HUDThinkEnd:
		e.Claim, e.Says = status.Sign, "stopped thinking"
	case contracts.HUDToolStart:
		e.Claim, e.Says, e.Call, e.Line = status.ToolStarted, "called "+fact.Tool, fact.CorrelationID, fact.Label
	case contracts.HUDToolEnd:
		e.Claim, e.Says, e.Call = status.ToolEnded, "received the result of "+fact.Tool, fact.CorrelationID
	case contracts.HUDReceived:
		e.Claim, e.Says = status.Present, "received: "+strings.ReplaceAll(string(h.Subtype), "_", " ")
	}
	return e
}
