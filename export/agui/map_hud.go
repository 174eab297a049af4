package agui

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

func (m *Mapper) mapHUD(h *contracts.HUD) {
	if !m.scope.includes(h.AgentID, h.Session) {
		return
	}
	l := m.track(h.AgentID, h.Session)
	meta := &Metadata{AgentID: h.AgentID, Session: h.Session, TaskID: h.TaskID, Label: h.Label, Rehearsal: h.Rehearsal}
	switch h.Event {
	case contracts.HUDTurnStart:
		m.turnStart(l, h, meta)
	case contracts.HUDTurnEnd:
		m.turnEnd(l, h, meta)
	case contracts.HUDThinkStart:
		m.thinkStart(l, h)
	case contracts.HUDThinkEnd:
		m.thinkEnd(l, h)
	case contracts.HUDToolStart:
		m.toolStart(l, h, meta)
	case contracts.HUDToolEnd:
		m.toolEnd(l, h, meta)
	case contracts.HUDReceived:
		e := custom("bullpen.received", encoded(struct {
			Subtype string         `json:"subtype,omitzero"`
			Label   string         `json:"label,omitzero"`
			Payload jsontext.Value `json:"payload,omitzero"`
		}{h.Subtype, h.Label, h.Payload}))
		e.Metadata = meta
		m.emitStandalone(l, e)
	}
}

// includes reports whether an agent's session belongs to the stream.
func (s Scope) includes(agent, session string) bool {
	return (s.AgentID == "" || s.AgentID == agent) && (s.Session == "" || s.Session == session)
}

// emitStandalone emits events that need no matching end event.
func (m *Mapper) emitStandalone(l *track, events ...Event) {
	m.ensureRun(l)
	for _, e := range events {
		m.emit(l.mark(e))
	}
}

// turnStart starts a turn. A session has one turn at a time, so a new turn ends the previous one if
// its end was not reported.
func (m *Mapper) turnStart(l *track, h *contracts.HUD, meta *Metadata) {
	id := cmp.Or(h.CorrelationID, h.UUID)
	if l.turn == id {
		return
	}
	if l.turn != "" {
		m.endTurn(l, unfinished())
	}
	if m.run.ambient && m.alone(l) {
		m.finish()
	}
	m.beginTurn(l, id, meta)
}

// alone reports whether no track other than l has anything open in the run.
func (m *Mapper) alone(l *track) bool {
	return !slices.ContainsFunc(m.tracks, func(o *track) bool { return o != l }) &&
		!slices.ContainsFunc(m.calls, func(c *call) bool { return c.run == m.run.id && c.track.key("") != l.key("") })
}

func (m *Mapper) turnEnd(l *track, h *contracts.HUD, meta *Metadata) {
	if id := h.CorrelationID; id != "" && id != l.turn {
		switch {
		case m.done.has(l.key(id)): // already ended
			return
		case l.turn != "": // the end of an unknown turn during another turn
			m.emitStandalone(l, custom("bullpen.turn_end", textMembers("turn", id)))
			m.done.add(l.key(id))
			return
		}
	}
	if l.turn == "" {
		id := cmp.Or(h.CorrelationID, h.UUID)
		m.beginTurn(l, id, meta)
	}
	end := Event{Type: RunFinished, Metadata: meta, Usage: usage(h.Usage)}
	if h.Usage != nil {
		meta.CostUSD = h.Usage.CostUSD
	}
	if why, failed := h.Failure(); failed {
		end.Type, end.Message, end.Code = RunError, why, CodeFailed
	}
	m.endTurn(l, end)
}

// usage converts token counts to AG-UI's format, where cached tokens are part of the input.
func usage(u *contracts.Usage) []TokenUsage {
	if u == nil {
		return nil
	}
	return []TokenUsage{{
		Model: u.Model, InputTokens: max(u.TokensIn+u.CacheRead+u.CacheWrite, 0), OutputTokens: max(u.TokensOut, 0),
		CachedInputTokens: max(u.CacheRead, 0), CacheWriteInputTokens: max(u.CacheWrite, 0),
	}}
}

func (m *Mapper) thinkStart(l *track, h *contracts.HUD) {
	t := think{correlation: h.CorrelationID, message: h.UUID}
	if l.step != "" {
		t.owner = l.turn
	}
	if slices.ContainsFunc(l.thinks, func(o think) bool { return o.correlation == t.correlation }) {
		return
	}
	m.ensureRun(l)
	l.thinks = append(l.thinks, t)
	m.emitThink(l, t)
	m.keep(l)
}

func (m *Mapper) emitThink(l *track, t think) {
	m.emit(t.mark(l, Event{Type: ReasoningStart}))
	m.emit(t.mark(l, Event{Type: ReasoningMessageStart, Role: "reasoning"}))
}

func (m *Mapper) thinkEnd(l *track, h *contracts.HUD) {
	at := slices.IndexFunc(l.thinks, func(t think) bool { return t.correlation == h.CorrelationID || h.CorrelationID == "" })
	if at < 0 {
		if m.done.has(l.key(h.CorrelationID)) {
			return
		}
		m.thinkStart(l, h)
		at = len(l.thinks) - 1
	}
	if text := textOf(h.Result); text != "" {
		m.emit(l.thinks[at].mark(l, Event{Type: ReasoningMessageText, Delta: text}))
	}
	m.closeThink(l, at)
	m.keep(l)
}

func (m *Mapper) closeThink(l *track, at int) {
	t := l.thinks[at]
	l.thinks = slices.Delete(l.thinks, at, at+1)
	m.done.add(l.key(t.correlation))
	m.emit(t.mark(l, Event{Type: ReasoningMessageEnd}))
	m.emit(t.mark(l, Event{Type: ReasoningEnd}))
}

func (m *Mapper) closeThinks(l *track) {
	for len(l.thinks) > 0 {
		m.closeThink(l, 0)
	}
}

func (m *Mapper) toolStart(l *track, h *contracts.HUD, meta *Metadata) {
	if h.CorrelationID != "" && slices.ContainsFunc(m.calls, func(c *call) bool { return c.is(l, h.CorrelationID) }) {
		return
	}
	m.ensureRun(l)
	c := &call{track: l, correlation: h.CorrelationID, id: h.CorrelationID, tool: h.Tool, run: m.run.id, args: string(h.Args), meta: meta}
	switch {
	case c.id == "":
		c.id = h.UUID
	case m.used(c.id): // another call had the same id
		c.id += "-" + h.UUID
	}
	if l.step != "" {
		c.owner = l.turn
	}
	c.tool = cmp.Or(c.tool, "tool")
	m.emitCall(c)
	if len(c.args) > contracts.LimitExportArgs {
		c.args = `{"truncated":true}`
	}
	m.calls = append(m.calls, c)
	if len(m.calls) > contracts.LimitExportOpen {
		m.forget(0)
	}
}

// used reports whether any agent's call already has this id.
func (m *Mapper) used(id string) bool {
	return m.done.has(callPrefix+id) || slices.ContainsFunc(m.calls, func(c *call) bool { return c.id == id })
}

// callPrefix distinguishes the wire ids of calls from the other keys in doneIDs.
const callPrefix = "call\x00"

func (c *call) is(l *track, correlation string) bool {
	return c.correlation == correlation && c.track.key("") == l.key("")
}

func (m *Mapper) forget(at int) *call {
	c := m.calls[at]
	m.calls = slices.Delete(m.calls, at, at+1)
	m.done.add(callPrefix + c.id)
	if c.correlation != "" {
		m.done.add(c.track.key(c.correlation))
	}
	return c
}

func (m *Mapper) emitCall(c *call) {
	m.emit(c.mark(Event{Type: ToolCallStart, ToolCallName: c.tool, Metadata: c.meta}))
	if c.args != "" {
		m.emit(c.mark(Event{Type: ToolCallArgs, Delta: c.args}))
	}
	m.emit(c.mark(Event{Type: ToolCallEnd}))
}

// toolEnd ends the call with the event's correlation or, if the event has none, the oldest call to
// its tool. A call whose start was not reported is announced first.
func (m *Mapper) toolEnd(l *track, h *contracts.HUD, meta *Metadata) {
	find := func() int {
		return slices.IndexFunc(m.calls, func(c *call) bool {
			return c.is(l, h.CorrelationID) || h.CorrelationID == "" && c.tool == h.Tool && c.track.key("") == l.key("")
		})
	}
	at := find()
	if at < 0 {
		if h.CorrelationID != "" && m.done.has(l.key(h.CorrelationID)) {
			return
		}
		m.toolStart(l, h, meta)
		at = len(m.calls) - 1
	}
	c := m.forget(at)
	m.ensureRun(l)
	_, failed := h.Failure()
	meta.OK = new(!failed)
	m.emit(c.mark(Event{Type: ToolCallResult, MessageID: h.UUID, Role: "tool", Content: encoded(resultText(h.Result)), Metadata: meta}))
}
