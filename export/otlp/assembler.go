package otlp

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// assembler builds spans from records. It has no clock: time advances with the records and with
// calls to advance.
type assembler struct {
	state
	content  bool
	profile  func(agentID string) contracts.AgentProfile
	provider func(p contracts.AgentProfile) string

	out   []jsontext.Value // complete spans, not yet sent
	bytes int
}

func (a *assembler) record(rec *contracts.Record) {
	a.advance(rec.TS)
	a.Seq = rec.Seq
	if rec.Kind != contracts.KindHUD && rec.Kind != contracts.KindEvent {
		return
	}
	body, err := rec.Decode()
	if err != nil {
		return // the ledger's own check reports it
	}
	switch body := body.(type) {
	case *contracts.HUD:
		a.activity(body, rec.TS)
	case *contracts.Event:
		if body.Name == contracts.EventUsageReported && body.Usage != nil && body.TurnID != "" {
			a.addUsage(body)
		}
	}
}

// activity processes a HUD fact. The fact's own time is when it happened; heard is when the ledger
// recorded it.
func (a *assembler) activity(h *contracts.HUD, heard int64) {
	at := heard
	if h.At > 0 {
		at = h.At
	}
	l := a.track(h.AgentID, h.Session)
	l.Seen = heard
	switch h.Event {
	case contracts.HUDTurnStart:
		a.turnStart(l, h, at, heard)
	case contracts.HUDTurnEnd:
		a.turnEnd(l, h, at, heard)
	case contracts.HUDToolStart:
		a.toolStart(l, h, at)
	case contracts.HUDToolEnd:
		a.toolEnd(l, h, at)
	case contracts.HUDReceived:
		a.received(l, h, at)
	}
	a.tidy(l)
}

// tidy drops a track if nothing is open in it.
func (a *assembler) tidy(l *track) {
	if l.Turn != nil || len(l.Waiting) > 0 || slices.ContainsFunc(a.Calls, func(c *call) bool { return c.Agent == l.Agent && c.Session == l.Session }) {
		return
	}
	a.Tracks = slices.DeleteFunc(a.Tracks, func(o *track) bool { return o == l })
}

// track finds or opens a track. Tracks are ordered by their last activity.
func (a *assembler) track(agent, session string) *track {
	i := slices.IndexFunc(a.Tracks, func(l *track) bool { return l.Agent == agent && l.Session == session })
	l := &track{Agent: agent, Session: session}
	if i >= 0 {
		l = a.Tracks[i]
		a.Tracks = slices.Delete(a.Tracks, i, i+1)
	} else if len(a.Tracks) >= contracts.LimitExportOpen {
		a.giveUp(0)
	}
	a.Tracks = append(a.Tracks, l)
	return l
}

func (a *assembler) turnStart(l *track, h *contracts.HUD, at, heard int64) {
	id := cmp.Or(h.CorrelationID, h.UUID)
	if l.Turn != nil && l.Turn.Correlation == id {
		return
	}
	if l.Turn != nil { // a session has one turn at a time: the end of the last one was not reported
		a.finish(l.Turn, at, status{}, heard)
	}
	l.Turn = a.newTurn(l, h, id, at)
	l.Turn.Events, l.Waiting = l.Waiting, nil
}

func (a *assembler) newTurn(l *track, h *contracts.HUD, id string, at int64) *turn {
	t := &turn{Agent: l.Agent, Session: l.Session, Correlation: id, TaskID: h.TaskID, Label: h.Label, Rehearsal: h.Rehearsal, Start: at}
	t.Trace = newTrace(a.Ledger, l.Agent, l.Session, id)
	var up spanRef
	var ok bool
	if h.ParentID == "" {
		up, ok = a.parentSpan(l.Agent)
	} else {
		up, ok = a.find(h.ParentID)
	}
	if ok {
		t.Trace, t.Parent = up.Trace, up.Span
	}
	t.Span = newSpan(t.Trace, "turn", l.Agent, l.Session, id)
	return t
}

// find returns the open turn or call with the given correlation, whichever agent it belongs to.
func (a *assembler) find(correlation string) (spanRef, bool) {
	for _, c := range a.Calls {
		if c.Correlation == correlation {
			return c.spanRef, true
		}
	}
	for _, l := range a.Tracks {
		if l.Turn != nil && l.Turn.Correlation == correlation {
			return l.Turn.spanRef, true
		}
	}
	return spanRef{}, false
}

// toolSpawn is the tool that starts a sub-agent.
const toolSpawn = "sessions_spawn"

// parentSpan returns the parent span of a sub-agent's turn: the parent agent's call that starts a
// sub-agent, if exactly one such call is open, otherwise the parent agent's turn.
func (a *assembler) parentSpan(agent string) (up spanRef, ok bool) {
	parent := a.profile(agent).ParentID
	if parent == "" {
		return up, false
	}
	calls := 0
	for _, c := range a.Calls {
		if c.Agent == parent && c.Tool == toolSpawn {
			up = c.spanRef
			calls++
		}
	}
	if calls == 1 {
		return up, true
	}
	for _, l := range slices.Backward(a.Tracks) {
		if l.Agent == parent && l.Turn != nil {
			return l.Turn.spanRef, true
		}
	}
	for _, t := range slices.Backward(a.Ended) { // a sub-agent may outlive its parent's turn
		if t.Agent == parent {
			return t.spanRef, true
		}
	}
	return spanRef{}, false
}

// turnEnd ends the open turn, or a turn whose start was not reported; the duration then determines
// when the turn began.
func (a *assembler) turnEnd(l *track, h *contracts.HUD, at, heard int64) {
	t := l.Turn
	if id := cmp.Or(h.CorrelationID, h.UUID); t == nil || h.CorrelationID != "" && h.CorrelationID != t.Correlation {
		if slices.ContainsFunc(a.Ended, func(e *turn) bool { return e.Correlation == id && e.Agent == l.Agent && e.Session == l.Session }) {
			return // already ended
		}
		t = a.newTurn(l, h, id, startTime(h, at))
	} else {
		l.Turn = nil
	}
	if h.Usage != nil {
		t.use(*h.Usage, true)
	}
	a.finish(t, at, spanStatus(h), heard)
}

// startTime returns the start of a turn or call, computed from its end and duration.
func startTime(h *contracts.HUD, at int64) int64 {
	if h.DurationMS == nil {
		return at
	}
	return at - max(*h.DurationMS, 0)
}

// finish keeps an ended turn for a while, because its tokens are often reported after its end.
func (a *assembler) finish(t *turn, at int64, st status, heard int64) {
	t.End, t.Status, t.Ready = max(at, t.Start), st, heard+contracts.OTLPSettle.Milliseconds()
	a.Ended = append(a.Ended, t)
	if len(a.Ended) > contracts.LimitExportOpen {
		a.emitTurn(a.Ended[0])
		a.Ended = slices.Delete(a.Ended, 0, 1)
	}
}

// addUsage adds a token report to its turn.
func (a *assembler) addUsage(e *contracts.Event) {
	for _, t := range slices.Backward(a.Ended) {
		if t.Correlation == e.TurnID && t.Agent == e.AgentID {
			t.use(*e.Usage, false)
			return
		}
	}
	for _, l := range a.Tracks {
		if l.Turn != nil && l.Turn.Correlation == e.TurnID && l.Agent == e.AgentID {
			l.Turn.use(*e.Usage, false)
			return
		}
	}
}

func (a *assembler) received(l *track, h *contracts.HUD, at int64) {
	var attrs attributes
	attrs.text("bullpen.received.subtype", h.Subtype)
	if a.content {
		attrs.text("bullpen.received.label", h.Label)
	}
	e := spanEvent{Time: nanos(at), Name: "bullpen.received", Attributes: attrs}
	if l.Turn != nil {
		l.Turn.note(e)
		return
	}
	if l.Waiting = append(l.Waiting, e); len(l.Waiting) > contracts.LimitOTLPWaiting {
		l.Waiting = slices.Delete(l.Waiting, 0, 1)
	}
}

// spanStatus returns the status of a span, based on the record that ended it.
func spanStatus(h *contracts.HUD) status {
	why, failed := h.Failure()
	if !failed {
		return status{Code: statusOK}
	}
	return status{Code: statusError, Message: contracts.Clip(why, contracts.LimitNote)}
}
