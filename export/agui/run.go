package agui

import (
	"cmp"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// run is the open run; an empty id means that no run is open.
type run struct {
	thread, id string
	owner      *track
	ambient    bool // the run has no turn and ends as soon as nothing is open in it
	endless    bool // the run of the whole office, which never ends
	turnEnded  bool // the run's turn has ended; the run is waiting for the steps inside it
	end        Event
}

// track is one agent's session, which has at most one turn at a time.
type track struct {
	agent, session string
	turn           string // correlation of the turn; empty between turns
	step           string // the name of the turn's step; empty if the turn is a run
	thinks         []think
}

// think is a period of thinking; owner is the step in which the thinking began.
type think struct{ correlation, message, owner string }

// mark sets the message and the owner of an event. The owner stays the same even if the turn
// changes before the thinking ends.
func (t think) mark(l *track, e Event) Event {
	e = l.mark(e)
	e.MessageID, e.SubagentRunID = t.message, t.owner
	return e
}

// call is a tool call that has no result yet.
type call struct {
	track       *track
	correlation string
	id          string // on the wire
	tool        string
	run         string // the run in which the call was announced
	owner       string // the step in which the call began
	args        string
	meta        *Metadata
}

func (c *call) mark(e Event) Event {
	e = c.track.mark(e)
	e.ToolCallID, e.SubagentRunID = c.id, c.owner
	return e
}

func (l *track) key(correlation string) string {
	return l.agent + "\x00" + l.session + "\x00" + correlation
}

// mark sets the owner and the metadata of an event.
func (l *track) mark(e Event) Event {
	if l.step != "" {
		e.SubagentRunID = l.turn
	}
	if e.Metadata == nil && e.Type != RunFinished && e.Type != RunError {
		e.Metadata = &Metadata{AgentID: l.agent, Session: l.session}
	}
	return e
}

func (m *Mapper) track(agent, session string) *track {
	for _, l := range m.tracks {
		if l.agent == agent && l.session == session {
			return l
		}
	}
	return &track{agent: agent, session: session}
}

// keep stores a track with an open turn or period of thinking, and drops any other track. If there
// are too many tracks, it ends the oldest one.
func (m *Mapper) keep(l *track) {
	at := slices.Index(m.tracks, l)
	open := l.turn != "" || len(l.thinks) > 0
	switch {
	case open && at < 0:
		m.tracks = append(m.tracks, l)
	case !open && at >= 0:
		m.tracks = slices.Delete(m.tracks, at, at+1)
	}
	if len(m.tracks) > contracts.LimitExportOpen {
		old := m.tracks[0]
		m.closeThinks(old)
		m.endTurn(old, unfinished())
	}
}

func unfinished() Event {
	return Event{Type: RunError, Message: "The end of the turn was not reported.", Code: CodeUnfinished}
}

// beginTurn opens a run for a turn, or a step if a run is open.
func (m *Mapper) beginTurn(l *track, id string, meta *Metadata) {
	l.turn = id
	if m.run.id == "" {
		m.run = run{thread: Scope{l.agent, l.session}.thread(), id: id, owner: l}
		m.emit(Event{Type: RunStarted, ThreadID: m.run.thread, RunID: id, Metadata: meta})
	} else {
		l.step = l.agent + "/" + id
		if slices.ContainsFunc(m.tracks, func(o *track) bool { return o != l && o.step == l.step }) {
			l.step += "-" + m.id // two sessions with the same turn id
		}
		m.emit(l.mark(Event{Type: StepStarted, StepName: l.step, Metadata: meta}))
	}
	m.keep(l)
}

// endTurn ends a turn and the thinking in it. A turn's run ends once nothing else in the run is
// open.
func (m *Mapper) endTurn(l *track, end Event) {
	m.closeThinks(l)
	switch {
	case l.turn == "":
	case l.step != "":
		if end.Type == RunError { // a step cannot fail: report the error before the step ends
			m.emit(l.mark(custom("bullpen.turn_failed", textMembers("message", end.Message, "code", end.Code))))
		}
		m.emit(l.mark(Event{Type: StepFinished, StepName: l.step, Metadata: end.Metadata}))
	case m.run.owner == l:
		m.run.turnEnded, m.run.end, m.run.owner = true, end, nil
	}
	if l.turn != "" {
		m.done.add(l.key(l.turn))
	}
	l.turn, l.step = "", ""
	m.keep(l)
	m.endRunIfIdle()
}

// ensureRun opens a run if none is open.
func (m *Mapper) ensureRun(l *track) {
	if m.run.id != "" {
		return
	}
	m.run = run{thread: Scope{l.agent, l.session}.thread(), id: "run_" + m.id, ambient: true}
	m.emit(Event{Type: RunStarted, ThreadID: m.run.thread, RunID: m.run.id, Metadata: l.mark(Event{}).Metadata})
}

// endRunIfIdle ends the run if its turn has ended (or it has no turn) and nothing is open in it.
func (m *Mapper) endRunIfIdle() {
	r := &m.run
	if r.id == "" || r.endless || !r.turnEnded && !r.ambient {
		return
	}
	for _, l := range m.tracks {
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
	for _, l := range slices.Clone(m.tracks) {
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
