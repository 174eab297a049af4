package watch

import (
	"slices"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
)

const (
	limitPeople  = 32       // agents that one lane keeps in memory
	limitHistory = 200      // newest facts reported about a session that is older than the office
	limitRecall  = 16 << 20 // total bytes of the facts reported about a session that is older than the office
	limitSpent   = 20_000   // newest usage reports kept for a session that is older than the office
	limitSaid    = 32       // newest pieces of evidence kept for a session that is older than the office
)

// person is a session or a sub-agent in a lane.
type person struct {
	id       string // agent id
	session  guest.Session
	parent   string                 // key of a sub-agent's session in the lane; empty for a session
	joined   contracts.AgentProfile // the profile that the agent joined with; empty until it joins
	pid      int
	pidStart int64
	checked  int64 // when the process was last checked
	heard    int64 // when the last task arrived, by our clock
	again    bool  // the agent was in the office before the restart
	found    bool  // a hook, a note or a new row has reported the agent since the restart
	refused  int64 // when joining was last refused; 0 if joining was not refused
	refusal  error // why joining was refused; nil if it was not
	seen     bool  // see intake.Proof
	vouched  bool  // the value of seen was passed to the roster
	history  guest.Told
	stream   contracts.StreamDelta // identifies the text being written
	text     string                // id of the message being written
}

// person returns the agent that a task is about. It returns nil for sessions that the office runs
// itself, for sub-agents that only an internal hook reports, and for sessions that are unknown when
// they end.
func (l *lane) person(t *task) *person {
	if l.in.Ignore(t.session) {
		return nil
	}
	key := l.in.Source.SessionName(t.session, t.agent)
	if p := l.people[key]; p != nil {
		return p
	}
	id := l.in.Source.AgentID(t.session, t.agent)
	if t.agent != "" && t.head.Internal || t.head.Ends && !l.in.wasInside(id) {
		return nil
	}
	l.makeRoom()
	p := &person{id: id, session: l.in.NewSession(t.session, t.agent, l.in.sessionConfig())}
	if t.agent != "" {
		p.parent = l.in.Source.SessionName(t.session, "")
	}
	var open []contracts.Opened
	open, p.again = l.in.known(p.id)
	for _, o := range open {
		p.session.Know(o)
	}
	l.people[key] = p
	return p
}

// makeRoom removes the agent that has been silent the longest if the lane is full. It removes a
// proven agent only if all are proven.
func (l *lane) makeRoom() {
	if len(l.people) < limitPeople {
		return
	}
	oldest := ""
	for key, p := range l.people {
		if oldest == "" || p.forgetBefore(l.people[oldest]) {
			oldest = key
		}
	}
	delete(l.people, oldest)
}

func (p *person) forgetBefore(other *person) bool {
	if p.seen != other.seen {
		return other.seen
	}
	return p.heard < other.heard
}

// prove marks the agent as proven, so that it can join immediately even if it was refused before.
func (p *person) prove() {
	if !p.seen {
		p.seen, p.refused = true, 0
	}
}

// trimHistory drops all but the newest facts, usage and evidence of a session that is older than the
// office.
func (p *person) trimHistory() {
	h := &p.history
	h.Facts = newest(h.Facts, p.recallable())
	h.Usage = newest(h.Usage, limitSpent)
	h.Evidence = newest(h.Evidence, limitSaid)
	h.Over = nil
}

// recallable returns how many facts to report from the history, counted from the newest.
func (p *person) recallable() (n int) {
	bytes := 0
	for _, f := range slices.Backward(p.history.Facts) {
		bytes += len(f.HUD.Args) + len(f.HUD.Result) + len(f.Whole)
		if n++; n == limitHistory || bytes >= limitRecall {
			break
		}
	}
	return n
}

// newest returns the last limit elements. If there are more, it returns a copy, so that the rest
// can be freed.
func newest[T any](list []T, limit int) []T {
	if len(list) <= limit {
		return list
	}
	return append(make([]T, 0, limit), list[len(list)-limit:]...)
}
