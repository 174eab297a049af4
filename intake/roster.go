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

// Office is the part of the office that the roster uses. Tell records facts in order, and returns
// one reply per fact once the facts are durable.
type Office interface {
	Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply
}

// RosterConfig configures a roster. Office is required.
type RosterConfig struct {
	Office         Office
	Sources        contracts.Sources                 // where agents come from
	Outpost        string                            // the outpost that reports the roster's guests; empty if the office watches the guests itself
	Node           string                            // the node that watches the guests, if there are several nodes
	State          func() contracts.Snapshot         // the current state of the office; nil means empty
	Head           func() uint64                     // seq of the last record, as this node sees it; nil means 0
	Alive          func(pid int, started int64) bool // nil means ProcessAlive
	IsAgentProcess func(pid int, started int64) bool // reports whether a process is an agent; nil means that none is
	Now            func() time.Time                  // the clock; nil means time.Now
	Log            *slog.Logger                      // nil means no logging
}

// Roster tracks guests and the evidence about them. All methods are safe for concurrent
// use.
type Roster struct {
	office         Office
	sources        contracts.Sources
	outpost        string
	node           string
	state          func() contracts.Snapshot
	head           func() uint64
	alive          func(pid int, started int64) bool
	isAgentProcess func(pid int, started int64) bool
	now            func() time.Time
	log            *slog.Logger

	tellToken chan struct{} // holds a token during a call to Office.Tell, so that calls do not overlap
	wake      chan struct{} // signals that Run has something to check

	mu               sync.Mutex
	joins            []*joining // waiting for tellToken
	guests           map[string]*guest
	away             map[string]contracts.AgentProfile // guests that other nodes watch, as of the last join
	shared           map[string]contracts.AgentProfile // guests of other nodes, as this node found them in files or behind gateways
	pending          []pendingEvidence                 // evidence about agents that are not on this roster
	past             *recentlyLeft
	otherNames       map[string]bool // names of agents that are not on this roster, as nameKey returns them
	nextProcessCheck int64           // time of the next process check
	nextAskCheck     int64           // time of the next check of the decisions that guests are waiting for
	nextReconcile    int64           // time when this roster is next reconciled with the office
	nextRetry        int64           // time of the next call to Office.Tell after one failed

	displaced, refused uint64 // see Crowd
}

// guest is an entry of the roster.
type guest struct {
	profile       contracts.AgentProfile // the profile recorded in the office
	inside        bool                   // the office has admitted the guest
	leaving       string                 // why the guest is being removed; empty if it stays
	proof         rank                   // see Proof
	lastActive    int64                  // time of its last sign of life, by our clock
	lastReportSeq uint64                 // the node's last known seq when the guest last reported to it; 0 if the guest never did

	pid     int // 0 if unknown
	started int64

	evidence   status.Case
	dirty      bool // has evidence newer than the verdict
	verdict    contracts.AgentStatus
	until      int64             // when the verdict expires
	asks       []status.Question // open questions
	recorded   contracts.AgentStatus
	recordedAt int64
	offline    int64 // when the guest went offline; 0 if it is online
}

// NewRoster returns a roster with the guests that are already in the office.
func NewRoster(cfg RosterConfig) *Roster {
	r := &Roster{
		office: cfg.Office, sources: cfg.Sources, outpost: cfg.Outpost, node: cfg.Node, state: cfg.State, head: cfg.Head, alive: cfg.Alive, isAgentProcess: cfg.IsAgentProcess, now: cfg.Now, log: cfg.Log,
		tellToken: make(chan struct{}, 1), wake: make(chan struct{}, 1), guests: make(map[string]*guest), shared: make(map[string]contracts.AgentProfile), past: newRecentlyLeft(contracts.LimitGuests),
	}
	if r.state == nil {
		r.state = func() contracts.Snapshot { return contracts.Snapshot{} }
	}
	if r.head == nil {
		r.head = func() uint64 { return 0 }
	}
	if r.alive == nil {
		r.alive = ProcessAlive
	}
	if r.isAgentProcess == nil {
		r.isAgentProcess = func(int, int64) bool { return false }
	}
	if r.now == nil {
		r.now = time.Now
	}
	r.log = cmp.Or(r.log, slog.New(slog.DiscardHandler))
	r.takeOver(r.state())
	return r
}

// AddEvidence adds a piece of evidence. It is cheap and never waits for the ledger. Evidence
// without a time, or with a time in the future, is given the current time. Evidence about agents
// that are not in the office is ignored, unless it shows that an agent that had left is working
// again. Evidence about a guest that another node watches can move the guest to this node.
func (r *Roster) AddEvidence(_ context.Context, agentID string, e status.Evidence) {
	now := r.now().UnixMilli()
	if e.At <= 0 || e.At > now {
		e.At = now
	}
	r.mu.Lock()
	p := r.guests[agentID]
	if p == nil {
		p = r.rejoin(agentID, e)
	}
	known := p != nil && p.dirty // if so, Run checks the guest anyway
	claimed := p == nil && r.keepPending(agentID, e)
	if p != nil {
		r.addTo(p, e)
	}
	r.mu.Unlock()
	switch {
	case p == nil && !claimed:
		r.log.Debug("evidence ignored: the agent is not on the roster", "agent", agentID, "claim", e.Claim)
	case !known:
		r.nudge()
	}
}

// addTo adds a piece of evidence to a guest on the roster.
func (r *Roster) addTo(p *guest, e status.Evidence) {
	now := r.now().UnixMilli()
	p.evidence.ClampTimes(now)
	p.evidence.Add(e)
	p.dirty, p.lastActive = true, now
	if proving[e.Source] {
		p.proof = seen
	}
	if reportsHere(e) {
		p.lastReportSeq = r.head()
	}
}

// WatchProcess watches the process of an agent: when the process is gone, so is the agent. started,
// the process's start time, distinguishes the process from a later process with the same pid; 0 means
// unknown. A pid of 0 ends the watch.
func (r *Roster) WatchProcess(agentID string, pid int, started int64) {
	proof := r.rankOf(agentID, Proof{PID: pid, Started: started})
	r.mu.Lock()
	if p := r.guests[agentID]; p != nil {
		p.pid, p.started = max(pid, 0), started
		p.proof = max(p.proof, proof)
	}
	r.mu.Unlock()
	r.nudge()
}

// Leave makes Run remove an agent and its sub-agents from the office.
func (r *Roster) Leave(_ context.Context, agentID, reason string) {
	if reason = contracts.CleanLine(reason); reason == "" {
		reason = "It left."
	}
	r.mu.Lock()
	if p := r.guests[agentID]; p != nil && p.leaving == "" {
		p.leaving = reason
	}
	r.mu.Unlock()
	r.nudge()
}

// nudge makes Run check everything soon.
func (r *Roster) nudge() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// lock waits for exclusive use of Office.Tell; false means that ctx was done first. Without the
// lock, an agent admitted and removed concurrently could end up in either state.
func (r *Roster) lock(ctx context.Context) bool {
	select {
	case r.tellToken <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (r *Roster) unlock() { <-r.tellToken }
