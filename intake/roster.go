package intake

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
)

// Office is what the roster needs of the office. Tell takes facts in, in their
// order, and returns one reply for each once it is durable.
type Office interface {
	Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply
}

// RosterConfig is what a roster is made of. Office is required.
type RosterConfig struct {
	Office  Office
	Sources contracts.Sources                 // where agents come from
	State   func() contracts.Snapshot         // the office as of now; nil means that nobody is there yet
	Alive   func(pid int, started int64) bool // nil means ProcessAlive
	Proves  func(pid int, started int64) bool // whether a process is an agent; nil means that none is
	Now     func() time.Time                  // the clock that evidence is stamped with; nil means time.Now
	Log     *slog.Logger                      // nil discards
}

// Roster knows who works elsewhere and what the evidence says about them. All its
// methods are safe for concurrent use.
type Roster struct {
	office  Office
	sources contracts.Sources
	state   func() contracts.Snapshot
	alive   func(pid int, started int64) bool
	agent   func(pid int, started int64) bool
	now     func() time.Time
	log     *slog.Logger

	telling chan struct{} // holds a token while somebody tells the office: one at a time
	wake    chan struct{} // there is something to look at

	mu     sync.Mutex
	joins  []*joining // that wait for the turn to tell
	people map[string]*person
	past   *recentlyLeft
	crew   map[string]bool // names that belong to the crew, as nameKey gives them
	checks int64           // when processes are looked at next
	asks   int64           // likewise decisions that somebody waits for
	retry  int64           // nothing is told before, because the office did not take it

	displaced, refused uint64 // see Crowd
}

// person is somebody who works elsewhere.
type person struct {
	profile contracts.AgentProfile // as the office knows it
	inside  bool                   // the office has let it in
	leaving string                 // why it is being taken out; empty when it stays
	proof   rank                   // see Proof
	heard   int64                  // when it was last heard from, by our clock

	pid     int // 0 means that no process is known
	started int64

	evidence status.Case
	dirty    bool // there is evidence since the last verdict
	verdict  contracts.AgentStatus
	until    int64             // when the verdict decays
	asks     []status.Question // that are open
	told     contracts.AgentStatus
	toldAt   int64
	offline  int64 // since when; 0 while it is not
}

// NewRoster takes over who is in the office already.
func NewRoster(cfg RosterConfig) *Roster {
	r := &Roster{
		office: cfg.Office, sources: cfg.Sources, state: cfg.State, alive: cfg.Alive, agent: cfg.Proves, now: cfg.Now, log: cfg.Log,
		telling: make(chan struct{}, 1), wake: make(chan struct{}, 1), people: make(map[string]*person), past: newRecentlyLeft(contracts.LimitGuests),
	}
	if r.state == nil {
		r.state = func() contracts.Snapshot { return contracts.Snapshot{} }
	}
	if r.alive == nil {
		r.alive = ProcessAlive
	}
	if r.agent == nil {
		r.agent = func(int, int64) bool { return false }
	}
	if r.now == nil {
		r.now = time.Now
	}
	r.log = cmp.Or(r.log, slog.New(slog.DiscardHandler))
	r.takeOver(r.state())
	return r
}

// Witness takes a piece of evidence in. It is cheap and never waits for the
// ledger. Evidence without a time, or from the future, is from now. Evidence
// about somebody who was never let in is left out.
func (r *Roster) Witness(_ context.Context, agentID string, e status.Evidence) {
	now := r.now().UnixMilli()
	if e.At <= 0 || e.At > now {
		e.At = now
	}
	r.mu.Lock()
	p := r.people[agentID]
	if p == nil {
		p = r.comeBack(agentID, e)
	}
	known := p != nil && p.dirty // then Run is going to look at it
	if p != nil {
		p.evidence.Settle(now)
		p.evidence.Add(e)
		p.dirty, p.heard = true, now
		if shows[e.Source] {
			p.proof = seen
		}
	}
	r.mu.Unlock()
	if p == nil {
		r.log.Debug("evidence ignored: the agent is not in the office", "agent", agentID, "claim", e.Claim)
		return
	}
	if !known {
		r.nudge()
	}
}

// Process watches the process of an agent: when it is gone, so is the agent.
// Started, its start time, tells it from a later one with the same pid; 0 means
// unknown. A pid of 0 ends the watch.
func (r *Roster) Process(agentID string, pid int, started int64) {
	proof := r.weigh(agentID, Proof{PID: pid, Started: started})
	r.mu.Lock()
	if p := r.people[agentID]; p != nil {
		p.pid, p.started = max(pid, 0), started
		p.proof = max(p.proof, proof)
	}
	r.mu.Unlock()
	r.nudge()
}

// Leave takes somebody out of the office soon, with those that it brought along.
func (r *Roster) Leave(_ context.Context, agentID, reason string) {
	if reason = contracts.CleanLine(reason); reason == "" {
		reason = "It left."
	}
	r.mu.Lock()
	if p := r.people[agentID]; p != nil && p.leaving == "" {
		p.leaving = reason
	}
	r.mu.Unlock()
	r.nudge()
}

// nudge lets Run look at everything soon.
func (r *Roster) nudge() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// lock waits for the turn to tell the office something; false means that ctx ended
// first. One tells at a time: who is let in and taken out at once would otherwise
// end up either way.
func (r *Roster) lock(ctx context.Context) bool {
	select {
	case r.telling <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (r *Roster) unlock() { <-r.telling }
