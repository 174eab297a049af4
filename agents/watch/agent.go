package watch

import (
	"slices"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
)

const (
	limitAgents   = 32       // agents that one shard keeps in memory
	limitHistory  = 200      // newest facts reported from the first read of a file
	limitRecall   = 16 << 20 // total bytes of the facts reported from the first read of a file
	limitUsage    = 20_000   // newest usage reports kept from the first read of a file
	limitEvidence = 32       // newest pieces of evidence kept from the first read of a file
)

// tracked is what a shard knows about a session or a sub-agent.
type tracked struct {
	id        string // agent id
	session   guest.Session
	parent    string                 // key of a sub-agent's session in the shard; empty for a session
	joined    contracts.AgentProfile // the profile that the agent joined with; empty until it joins
	pid       int
	pidStart  int64
	checked   int64 // when the process was last checked
	lastTask  int64 // when the last task arrived, by our clock
	returning bool  // the agent was in the office before the restart
	found     bool  // a hook, a note or a new row has reported the agent since the restart
	refused   int64 // when joining was last refused; 0 if joining was not refused
	refusal   error // why joining was refused; nil if it was not
	seen      bool  // see intake.Proof
	proofSent bool  // the value of seen that the roster last received
	history   guest.Updates
	stream    contracts.StreamDelta // identifies the text being written
	text      string                // id of the message being written
}

// agentOf returns the agent that a task is about. It returns nil for sessions that the office runs
// itself, for sub-agents that only an internal hook reports, and for sessions that are unknown when
// they end.
func (s *shard) agentOf(t *task) *tracked {
	if s.watcher.Ignore(t.session) {
		return nil
	}
	key := s.watcher.Source.SessionName(t.session, t.agent)
	if a := s.agents[key]; a != nil {
		return a
	}
	id := s.watcher.Source.AgentID(t.session, t.agent)
	if t.agent != "" && t.head.Internal || t.head.Ends && !s.watcher.wasInside(id) {
		return nil
	}
	s.makeRoom()
	a := &tracked{id: id, session: s.watcher.NewSession(t.session, t.agent, s.watcher.sessionConfig())}
	if t.agent != "" {
		a.parent = s.watcher.Source.SessionName(t.session, "")
	}
	var open []contracts.Opened
	open, a.returning = s.watcher.takeRestored(a.id)
	for _, o := range open {
		a.session.Restore(o)
	}
	s.agents[key] = a
	return a
}

// makeRoom removes the agent that has been silent the longest if the shard is full. It removes a
// proven agent only if all are proven.
func (s *shard) makeRoom() {
	if len(s.agents) < limitAgents {
		return
	}
	oldest := ""
	for key, a := range s.agents {
		if oldest == "" || a.forgetBefore(s.agents[oldest]) {
			oldest = key
		}
	}
	delete(s.agents, oldest)
}

func (a *tracked) forgetBefore(other *tracked) bool {
	if a.seen != other.seen {
		return other.seen
	}
	return a.lastTask < other.lastTask
}

// prove marks the agent as proven, so that it can join immediately even if it was refused before.
func (a *tracked) prove() {
	if !a.seen {
		a.seen, a.refused = true, 0
	}
}

// trimHistory drops all but the newest facts, usage and evidence from the first read of a session's
// file.
func (a *tracked) trimHistory() {
	h := &a.history
	h.Facts = newest(h.Facts, a.recallable())
	h.Usage = newest(h.Usage, limitUsage)
	h.Evidence = newest(h.Evidence, limitEvidence)
	h.EndedCalls = nil
}

// recallable returns the number of facts to report from the history, counting back from the newest.
func (a *tracked) recallable() (n int) {
	bytes := 0
	for _, f := range slices.Backward(a.history.Facts) {
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
