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

// Office is where peers are reported and orders for them are read.
type Office interface {
	// Record takes a fact and returns once it is durable.
	Record(ctx context.Context, f contracts.Fact) error
	// Orders calls fn with orders and messages for agents of a source until ctx ends.
	Orders(ctx context.Context, source string, fn func(contracts.Record) error) error
}

// Roster knows the guests of the office.
type Roster interface {
	// Join lets a guest in, or updates its profile.
	Join(ctx context.Context, p contracts.AgentProfile, proof intake.Proof) error
	// Witness takes a piece of evidence. It never waits.
	Witness(ctx context.Context, agentID string, e status.Evidence)
}

// Loans are the credentials of programs that the office started and that know only the
// variables of seed 002.
type Loans interface {
	// Claimable reports whether there are any.
	Claimable() bool
	// Claimed returns the principal of the program with this session key and id.
	Claimed(c gate.Claim) (contracts.Principal, bool)
}

// Config says whom peers work for. Office, Roster, Agent and NewUUID are required.
type Config struct {
	Office Office
	Roster Roster
	// Agent returns the profile of an agent that is in the office.
	Agent   func(agentID string) (contracts.AgentProfile, bool)
	NewUUID func() string

	// Loans admit programs that the office started; nil admits only tokens.
	Loans Loans
	// TrustLocal lets every program on this machine claim any session without a token.
	TrustLocal bool

	Ping        time.Duration // default contracts.BridgePing
	Grace       time.Duration // default contracts.BridgeGrace
	TurnTimeout time.Duration // of messages from people; default contracts.BridgeTurn
	Now         func() time.Time
	Log         *slog.Logger
}

// Peers are the agents that dialled in, by session key. Close disconnects them. Locks are
// taken in the order Peers, peer.
type Peers struct {
	cfg  Config
	life context.Context
	end  context.CancelFunc

	mu      sync.Mutex
	byKey   map[string]*peer
	sockets map[*socket]struct{}
	left    map[string]string // programs that have left, by session key
	came    chan struct{}     // closed when an agent dials in
	closed  bool
	running sync.WaitGroup

	admitted uint64 // counts the sockets

	telling sync.Mutex // so that the office hears of the newest state last
}

// New makes an empty set of peers; it is open until Close.
func New(cfg Config) *Peers {
	if cfg.Ping <= 0 {
		cfg.Ping = contracts.BridgePing
	}
	if cfg.Grace <= 0 {
		cfg.Grace = contracts.BridgeGrace
	}
	if cfg.TurnTimeout <= 0 {
		cfg.TurnTimeout = contracts.BridgeTurn
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	p := &Peers{cfg: cfg, byKey: map[string]*peer{}, sockets: map[*socket]struct{}{}, left: map[string]string{}, came: make(chan struct{})}
	p.life, p.end = context.WithCancel(context.Background())
	return p
}

// Route is the way to the peer that takes a conversation; ok is false when none is
// connected for it. It takes over from a program of the office, unless it is that program.
func (p *Peers) Route(k turn.Key) (r turn.Route, ok bool) {
	found := p.find(k)
	if found == nil {
		return turn.Route{}, false
	}
	return turn.Route{AgentID: contracts.AgentIDOf(k.Agent), Driver: found, External: true, Serves: found.speaksFor}, true
}

// arrivals is closed when the next one dials in.
func (p *Peers) arrivals() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.came
}

// find is the peer that takes a conversation, nil when none is there.
func (p *Peers) find(k turn.Key) *peer {
	p.mu.Lock()
	defer p.mu.Unlock()
	if found := p.byKey[k.String()]; found != nil {
		return found
	}
	return p.byKey[k.Agent+contracts.SessionSeparator+turn.AnyChat]
}

// Agents are the names of the agents that are connected.
func (p *Peers) Agents() (names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, found := range p.byKey {
		names = append(names, found.agent())
	}
	return names
}

// enter gives a socket the session that its hello names, in exchange for the one that
// it had before. A connection that is being sent away claims nothing: then it is nil.
// again means that the same program had the session before, on another connection.
func (p *Peers) enter(s *socket, before *peer, key, program string) (found *peer, again bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || s.closed() {
		return nil, false
	}
	if found = p.byKey[key]; found == nil {
		found, again = newPeer(p, key), program != "" && p.left[key] == program
		p.byKey[key] = found
		delete(p.left, key)
	} else if found != before {
		again = program != "" && found.ID() == program
	}
	if before != nil && before != found && before.lose(s) {
		p.forget(before)
	}
	s.answer(&frame{Type: "hello_ack"}) // before anybody can send it a turn
	found.attach(s, program)
	close(p.came)
	p.came = make(chan struct{})
	return found, again
}

// drop forgets a peer that is not there any more.
func (p *Peers) drop(gone *peer) {
	p.mu.Lock()
	left := p.forget(gone)
	p.mu.Unlock()
	if left {
		p.tell(gone.agent())
	}
}

// forget takes out a peer that is not there any more; the caller holds the lock.
func (p *Peers) forget(gone *peer) bool {
	left := p.byKey[gone.key] == gone && gone.absent()
	if left {
		delete(p.byKey, gone.key)
		for key := range p.left { // over the limit, a reconnect may go unnoticed
			if len(p.left) < contracts.LimitPeers {
				break
			}
			delete(p.left, key)
		}
		p.left[gone.key] = gone.ID()
	}
	return left
}

// admit counts a socket; it is false when there are too many. Among sockets without a
// credential the newest displaces the oldest, so that silent connections cannot lock out
// programs that say hello immediately.
func (p *Peers) admit(s *socket) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if oldest, n := p.unproven(); s.holder == "" && n >= contracts.LimitPeersUnproven {
		oldest.close(contracts.CloseOverloaded, "too many connections without hello; send hello sooner")
		delete(p.sockets, oldest)
	}
	if p.closed || len(p.sockets) >= contracts.LimitPeers {
		return false
	}
	p.admitted++
	s.number = p.admitted
	p.sockets[s] = struct{}{}
	return true
}

// unproven finds the oldest socket without a credential, and how many there are.
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

// hold sets the credential id of a socket.
func (p *Peers) hold(s *socket, holder string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.holder = holder
}

func (p *Peers) dismiss(s *socket) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sockets, s)
}

// CloseRevoked disconnects the holder of a credential that is no longer valid, and takes
// its sessions immediately: a program that is ending must not be asked again.
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

// Close disconnects every peer and waits for them. It may be called again to wait.
func (p *Peers) Close() {
	p.end()
	p.mu.Lock()
	p.closed = true
	for s := range p.sockets {
		s.close(contracts.CloseGoingAway, "the office is shutting down")
	}
	p.mu.Unlock()
	p.running.Wait()
}
