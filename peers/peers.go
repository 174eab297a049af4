package peers

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/turn"
)

// Office records facts about peers and delivers orders for them.
type Office interface {
	// Record returns nil once the fact is durable.
	Record(ctx context.Context, f contracts.Fact) error
	// Orders calls fn with orders and messages for agents of a source until ctx is done.
	Orders(ctx context.Context, source string, fn func(contracts.Record) error) error
	// Read returns up to limit records after a sequence number.
	Read(ctx context.Context, after uint64, limit int, kinds ...contracts.Kind) ([]contracts.Record, error)
}

// Roster admits guests to the office.
type Roster interface {
	// Join adds a guest to the office, or updates its profile.
	Join(ctx context.Context, p contracts.AgentProfile, proof intake.Proof) error
	// AddEvidence records evidence of an agent's activity without blocking.
	AddEvidence(ctx context.Context, agentID string, e status.Evidence)
}

// Processes looks up the credentials of programs that the office started. These programs support
// only the environment variables of the bridge protocol, none of which contains a token, so they
// are identified by their session key and id.
type Processes interface {
	// HasProcesses reports whether any process currently has a valid credential.
	HasProcesses() bool
	// Identify returns the principal of the program with this session key and id, or false if
	// there is none.
	Identify(p gate.Process) (contracts.Principal, bool)
}

// Config configures Peers. Office, Roster, Agent and NewUUID are required.
type Config struct {
	Office Office
	Roster Roster
	// Agent returns the profile of an agent, or false if it is not in the office.
	Agent   func(agentID string) (contracts.AgentProfile, bool)
	NewUUID func() string

	// Processes identifies programs that the office started; if Processes is nil, only tokens are
	// accepted.
	Processes Processes
	// TrustLocal lets every program on this machine claim any session without a token.
	TrustLocal bool

	Ping        time.Duration // default contracts.BridgePing
	Grace       time.Duration // default contracts.BridgeGrace
	TurnTimeout time.Duration // for messages from people; default contracts.BridgeTurnTimeout
	Now         func() time.Time
	Log         *slog.Logger
}

// Peers tracks the connected agents by session key. Close disconnects them. Lock Peers before
// locking a peer.
type Peers struct {
	cfg    Config
	runCtx context.Context
	end    context.CancelFunc

	mu      sync.Mutex
	byKey   map[string]*peer
	sockets map[*socket]struct{}
	left    map[string]string // program that disconnected last, by session key
	arrived chan struct{}     // closed when an agent connects
	closed  bool
	running sync.WaitGroup

	admitted uint64 // number of sockets admitted since the start

	reportMu sync.Mutex // keeps reports in order, so that the newest state is reported last
}

// New returns a Peers without connections. It accepts sockets until Close is called.
func New(cfg Config) *Peers {
	if cfg.Ping <= 0 {
		cfg.Ping = contracts.BridgePing
	}
	if cfg.Grace <= 0 {
		cfg.Grace = contracts.BridgeGrace
	}
	if cfg.TurnTimeout <= 0 {
		cfg.TurnTimeout = contracts.BridgeTurnTimeout
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	p := &Peers{cfg: cfg, byKey: map[string]*peer{}, sockets: map[*socket]struct{}{}, left: map[string]string{}, arrived: make(chan struct{})}
	p.runCtx, p.end = context.WithCancel(context.Background())
	return p
}

// Route returns the route to the peer that serves a conversation; ok is false if none is connected.
// If the conversation already has an open session with another driver, the session is kept only if
// it reaches this peer.
func (p *Peers) Route(k turn.Key) (r turn.Route, ok bool) {
	found := p.find(k)
	if found == nil {
		return turn.Route{}, false
	}
	return turn.Route{AgentID: contracts.AgentIDOf(k.Agent), Driver: found, External: true, Serves: found.reachedBy}, true
}

// arrivals returns a channel that is closed when the next agent connects.
func (p *Peers) arrivals() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.arrived
}

// find returns the peer that serves a conversation, or nil.
func (p *Peers) find(k turn.Key) *peer {
	p.mu.Lock()
	defer p.mu.Unlock()
	if found := p.byKey[k.String()]; found != nil {
		return found
	}
	return p.byKey[k.Agent+contracts.SessionSeparator+turn.AnyChat]
}

// Agents returns the names of the connected agents, one for each session.
func (p *Peers) Agents() (names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, found := range p.byKey {
		names = append(names, found.agent())
	}
	return names
}

// claim assigns the session with this key to a socket. before is the peer that the socket has been
// attached to until now, or nil; claim detaches the socket from it if the session belongs to a
// different peer. claim returns nil if the connection is being closed. reconnected means that the
// same program had the session earlier, on another connection.
func (p *Peers) claim(s *socket, before *peer, key, program string) (found *peer, reconnected bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || s.closed() {
		return nil, false
	}
	if found = p.byKey[key]; found == nil {
		found, reconnected = newPeer(p, key), program != "" && p.left[key] == program
		p.byKey[key] = found
		delete(p.left, key)
	} else if found != before {
		reconnected = program != "" && found.ID() == program
	}
	if before != nil && before != found && before.lose(s) {
		p.forget(before)
	}
	s.answer(&frame{Type: "hello_ack"}) // before any turn can be sent to the peer
	found.attach(s, program)
	close(p.arrived)
	p.arrived = make(chan struct{})
	return found, reconnected
}

// drop removes a disconnected peer and notifies the office.
func (p *Peers) drop(gone *peer) {
	p.mu.Lock()
	left := p.forget(gone)
	p.mu.Unlock()
	if left {
		p.reportPresence(gone.agent())
	}
}

// forget removes a peer and reports whether it did so. It keeps a peer that is connected, has a
// turn or was replaced. The caller holds the lock.
func (p *Peers) forget(gone *peer) bool {
	left := p.byKey[gone.key] == gone && gone.absent()
	if left {
		delete(p.byKey, gone.key)
		for key := range p.left { // over the limit, a reconnect may not be recognized
			if len(p.left) < contracts.LimitPeers {
				break
			}
			delete(p.left, key)
		}
		p.left[gone.key] = gone.ID()
	}
	return left
}

// goingAway is the reason for closing or refusing connections while the office shuts down.
const goingAway = "the office is shutting down"

// admit adds a socket. If the socket is refused, admit returns the close code and the reason. Among
// sockets without a credential, the newest displaces the oldest, so that silent connections cannot
// lock out programs that send hello immediately.
func (p *Peers) admit(s *socket) (code contracts.CloseCode, refusal string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if oldest, n := p.unproven(); s.holder == "" && n >= contracts.LimitPeersUnproven {
		oldest.close(contracts.CloseOverloaded, "too many connections without hello; send hello sooner")
		delete(p.sockets, oldest)
	}
	switch {
	case p.closed:
		return contracts.CloseGoingAway, goingAway
	case len(p.sockets) >= contracts.LimitPeers:
		return contracts.CloseOverloaded, "too many connections; try again later"
	}
	p.admitted++
	s.number = p.admitted
	p.sockets[s] = struct{}{}
	return 0, ""
}

// unproven returns the oldest of the sockets without a credential, and their number.
func (p *Peers) unproven() (oldest *socket, n int) {
	for s := range p.sockets {
		if s.holder != "" {
			continue
		}
		if n++; oldest == nil || s.number < oldest.number {
			oldest = s
		}
	}
	return oldest, n
}

// setHolder stores the id of the credential that a socket has authenticated with.
func (p *Peers) setHolder(s *socket, holder string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.holder = holder
}

func (p *Peers) removeSocket(s *socket) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sockets, s)
}

// CloseRevoked closes the connections of a revoked credential and frees their sessions immediately,
// because a program that is exiting must not receive another turn.
func (p *Peers) CloseRevoked(holder string) {
	p.mu.Lock()
	var cut []*socket
	for s := range p.sockets {
		if s.holder == holder {
			s.close(contracts.CloseRevoked, "the token was revoked")
			cut = append(cut, s)
		}
	}
	held := slices.Collect(maps.Values(p.byKey))
	p.mu.Unlock()
	for _, s := range cut {
		for _, found := range held {
			found.detach(s)
		}
	}
}

// Close disconnects every peer and waits for running work to end. Later calls wait as well.
func (p *Peers) Close() {
	p.end()
	p.mu.Lock()
	p.closed = true
	for s := range p.sockets {
		s.close(contracts.CloseGoingAway, goingAway)
	}
	p.mu.Unlock()
	p.running.Wait()
}
