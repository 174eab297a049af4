package agui

import (
	"cmp"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// run is the open run; an empty id means that no run is open.
type run struct {
	thread, id string
	owner      *lane
	ambient    bool // the run has no turn and ends as soon as nothing is open in it
	endless    bool // the run of the whole office, which never ends
	over       bool // the run's turn has ended; the run waits for the steps inside it
	end        Event
}

// lane is one agent's session, which has at most one turn at a time.
type lane struct {
	agent, session string
	turn           string // correlation of the turn; empty between turns
	step           string // the name of the turn's step; empty if the turn is a run
	thinks         []think
}

// think is a period of thinking; owner is the step in which the thinking began.
type think struct{ correlation, message, owner string }

// mark sets the message and the owner of an event. The owner stays the same even if the turn
// changes before the thinking ends.
func (t think) mark(l *lane, e Event) Event {
	e = l.mark(e)
	e.MessageID, e.SubagentRunID = t.message, t.owner
	return e
}

// call is a tool call that has no result yet.
type call struct {
	lane        *lane
	correlation string
	id          string // on the wire
	tool        string
	run         string // the run in which the call was announced
	owner       string // the step in which the call began
	args        string
	meta        *Metadata
}

func (c *call) mark(e Event) Event {
	e = c.lane.mark(e)
	e.ToolCallID, e.SubagentRunID = c.id, c.owner
	return e
}

func (l *lane) key(correlation string) string {
	return l.agent + "\x00" + l.session + "\x00" + correlation
}

// mark sets the owner and the metadata of an event.
func (l *lane) mark(e Event) Event {
	if l.step != "" {
		e.SubagentRunID = l.turn
	}
	if e.Metadata == nil && e.Type != RunFinished && e.Type != RunError {
		e.Metadata = &Metadata{AgentID: l.agent, Session: l.session}
	}
	return e
}

func (m *Mapper) lane(agent, session string) *lane {
	for _, l := range m.lanes {
		if l.agent == agent && l.session == session {
			return l
		}
	}
	return &lane{agent: agent, session: session}
}

// keep stores a lane with an open turn or period of thinking, and drops any other lane. If there are
// too many lanes, it ends the oldest one.
func (m *Mapper) keep(l *lane) {
	at := slices.Index(m.lanes, l)
	open := l.turn != "" || len(l.thinks) > 0
	switch {
	case open && at < 0:
		m.lanes = append(m.lanes, l)
	case !open && at >= 0:
		m.lanes = slices.Delete(m.lanes, at, at+1)
	}
	if len(m.lanes) > contracts.LimitExportOpen {
		old := m.lanes[0]
		m.closeThinks(old)
		m.endTurn(old, unfinished())
	}
}

func unfinished() Event {
	return Event{Type: RunError, Message: "The end of the turn was not reported.", Code: CodeUnfinished}
}

// beginTurn opens a run for a turn, or a step if a run is open.
func (m *Mapper) beginTurn(l *lane, id string, meta *Metadata) {
	l.turn = id
	if m.run.id == "" {
		m.run = run{thread: Scope{l.agent, l.session}.thread(), id: id, owner: l}
		m.emit(Event{Type: RunStarted, ThreadID: m.run.thread, RunID: id, Metadata: meta})
	} else {
		l.step = l.agent + "/" + id
		if slices.ContainsFunc(m.lanes, func(o *lane) bool { return o != l && o.step == l.step }) {
			l.step += "-" + m.id // two sessions with the same turn id
		}
		m.emit(l.mark(Event{Type: StepStarted, StepName: l.step, Metadata: meta}))
	}
	m.keep(l)
}

// endTurn ends a turn and the thinking in it. The run of a turn ends once nothing else is open in
// it.
func (m *Mapper) endTurn(l *lane, end Event) {
	m.closeThinks(l)
	switch {
	case l.turn == "":
	case l.step != "":
		if end.Type == RunError { // a step cannot fail: report the error before the step ends
			m.emit(l.mark(custom("bullpen.turn_failed", textMembers("message", end.Message, "code", end.Code))))
		}
		m.emit(l.mark(Event{Type: StepFinished, StepName: l.step, Metadata: end.Metadata}))
	case m.run.owner == l:
		m.run.over, m.run.end, m.run.owner = true, end, nil
	}
	if l.turn != "" {
		m.done.add(l.key(l.turn))
	}
	l.turn, l.step = "", ""
	m.keep(l)
	m.settle()
}

// need opens a run if none is open.
func (m *Mapper) need(l *lane) {
	if m.run.id != "" {
		return
	}
	m.run = run{thread: Scope{l.agent, l.session}.thread(), id: "run_" + m.id, ambient: true}
	m.emit(Event{Type: RunStarted, ThreadID: m.run.thread, RunID: m.run.id, Metadata: l.mark(Event{}).Metadata})
}

// settle ends the run if its turn has ended (or it has no turn) and nothing is open in it.
func (m *Mapper) settle() {
	r := &m.run
	if r.id == "" || r.endless || !r.over && !r.ambient {
		return
	}
	for _, l := range m.lanes {
		if l.turn != "" || r.ambient && len(l.thinks) > 0 {
			return
		}
	}
	waits := func(c *call) bool { return c.run == r.id }
	if r.ambient && slices.ContainsFunc(m.calls, waits) {
		return
	}
	m.finish()
}

// finish ends the run and everything still open in it.
func (m *Mapper) finish() {
	for _, l := range slices.Clone(m.lanes) {
		m.closeThinks(l)
		m.keep(l)
	}
	end := m.run.end
	end.Type = cmp.Or(end.Type, RunFinished)
	if end.Type == RunFinished {
		end.ThreadID, end.RunID = m.run.thread, m.run.id
	}
	m.run = run{}
	m.emit(end)
}
