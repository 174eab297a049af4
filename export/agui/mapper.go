package agui

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// Scope selects what a stream shows. The zero value is the whole office: one run that never ends,
// with every turn as a step.
type Scope struct {
	AgentID string
	Session string
}

func (s Scope) office() bool { return s == Scope{} }

// thread returns the AG-UI thread of the scope: its session, its agent or the office.
func (s Scope) thread() string { return cmp.Or(s.Session, s.AgentID, "office") }

// state returns the initial state for a client of the scope. If the scope is an agent that is not
// in the office, the agent in the state is nil.
func (s Scope) state(office contracts.Snapshot) any {
	if s.office() {
		return office
	}
	for _, a := range office.Agents {
		if a.AgentID == s.AgentID || s.AgentID == "" && a.Session == s.Session {
			return map[string]any{"agent": a}
		}
	}
	return map[string]any{"agent": nil}
}

// Mapper is the state of one stream. Create it with NewMapper; it is not safe for
// concurrent use.
type Mapper struct {
	scope Scope
	out   []Event
	at    int64  // time of the current record
	id    string // id of the current record

	run    run
	tracks []*track // in the order in which their turns began
	calls  []*call  // waiting for their results, oldest first
	done   doneIDs
}

// NewMapper returns a Mapper with nothing in progress.
func NewMapper(scope Scope) *Mapper {
	m := &Mapper{scope: scope}
	if scope.office() {
		m.run = run{thread: scope.thread(), id: scope.thread(), endless: true}
	}
	return m
}

// Map returns the events for a record. It returns none if the record does not belong to this
// stream. A record that cannot be decoded is skipped: the ledger's own check reports it.
func (m *Mapper) Map(rec *contracts.Record) []Event {
	body, err := rec.Decode()
	if err != nil {
		return nil
	}
	m.out, m.at, m.id = nil, rec.TS, rec.ID
	switch body := body.(type) {
	case *contracts.HUD:
		if body.At > 0 {
			m.at = body.At
		}
		m.mapHUD(body)
	case *contracts.Chat:
		m.mapChat(body)
	case *contracts.UI:
		m.mapUI(body)
	case *contracts.Event:
		m.mapEvent(body, rec.Body)
	}
	m.endRunIfIdle()
	return m.out
}

// resume restores the activity in progress at a cursor: the starts in open, and the activity that has
// an end but no start in next. For the latter, arguments are not shown, because only the end is known.
// Other activity that was in progress is announced only when it ends.
func (m *Mapper) resume(open, next []contracts.Record) {
	began := map[string]bool{}
	var ended []*contracts.HUD // ends of activity that began before the records in next
	for i := range next {
		body, err := next[i].Decode()
		h, ok := body.(*contracts.HUD)
		if err != nil || !ok || h.CorrelationID == "" {
			continue
		}
		switch key := m.track(h.AgentID, h.Session).key(h.CorrelationID); {
		case h.Event.Starts():
			began[key] = true
		case h.Event.Ends() && !began[key]:
			began[key] = true // the end may occur twice
			ended = append(ended, h)
		}
	}
	for _, h := range slices.Backward(ended) { // a turn ends after its calls
		start := contracts.HUD{
			UUID: h.UUID, Event: startOf[h.Event], CorrelationID: h.CorrelationID, ParentID: h.ParentID, AgentID: h.AgentID, Session: h.Session,
			TaskID: h.TaskID, Tool: h.Tool, Label: h.Label, Rehearsal: h.Rehearsal,
		}
		m.id = h.UUID
		m.mapHUD(&start)
	}
	for i := range open {
		m.Map(&open[i])
	}
}

var startOf = map[contracts.HUDEvent]contracts.HUDEvent{
	contracts.HUDTurnEnd: contracts.HUDTurnStart, contracts.HUDThinkEnd: contracts.HUDThinkStart, contracts.HUDToolEnd: contracts.HUDToolStart,
}

// Begin returns the first events of a stream: the state, and the activity in progress as if it had
// just begun.
func (m *Mapper) Begin(now int64, state []byte) []Event {
	m.out, m.at, m.id = nil, now, "begin"
	if m.run.id == "" {
		m.run = run{thread: m.scope.thread(), id: "run_begin", ambient: true}
	}
	m.emit(Event{Type: RunStarted, ThreadID: m.run.thread, RunID: m.run.id})
	if len(state) > 0 {
		m.emit(Event{Type: StateSnapshot, Snapshot: state})
	}
	for _, l := range m.tracks {
		if l.step != "" {
			m.emit(l.mark(Event{Type: StepStarted, StepName: l.step}))
		}
		for _, t := range l.thinks {
			m.emitThink(l, t)
		}
	}
	for _, c := range m.calls {
		m.emitCall(c)
	}
	m.endRunIfIdle()
	return m.out
}

// Notice returns the events for a notice about the stream itself.
func (m *Mapper) Notice(now int64, name string, value jsontext.Value) []Event {
	m.out, m.at, m.id = nil, now, "notice"
	m.emitStandalone(&track{agent: m.scope.AgentID, session: m.scope.Session}, custom(name, value))
	m.endRunIfIdle()
	return m.out
}

func (m *Mapper) emit(e Event) {
	e.Timestamp = m.at
	m.out = append(m.out, e)
}

// doneIDs remembers the ids of the calls and turns that ended most recently.
type doneIDs struct {
	known map[string]struct{}
	order []string // the ids; a ring buffer once it is full
	next  int
}

func (d *doneIDs) add(id string) {
	if d.known == nil {
		d.known = map[string]struct{}{}
	}
	if _, twice := d.known[id]; twice {
		return
	}
	d.known[id] = struct{}{}
	if len(d.order) < contracts.LimitExportDone {
		d.order = append(d.order, id)
		return
	}
	delete(d.known, d.order[d.next])
	d.order[d.next] = id
	d.next = (d.next + 1) % len(d.order)
}

func (d *doneIDs) has(id string) bool {
	_, ok := d.known[id]
	return ok
}
