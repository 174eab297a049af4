package bridge

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/gate"
)

// Office is what the bridge needs of the rest: who is there, and where a turn's
// activity is recorded.
type Office interface {
	// Agents are the names that callers may use, for the list of models.
	Agents() []string
	// Present says whether anybody is dialled in for an agent, whenever that may have
	// changed.
	Present(agent string, here bool)
	// Reconnected reports that the program of a session has reconnected.
	Reconnected(agent, session string)
	// Begin records that an agent's turn begins; the activity takes what follows.
	Begin(ctx context.Context, agent string, spec drive.Spec, p drive.Prompt) (Activity, error)
}

// Activity records what one turn does. End is called once, after everything else.
type Activity interface {
	drive.Sink
	End(answer drive.Answer, err error)
}

// Loans are the credentials of programs that the office started and that know only the
// variables of seed 002.
type Loans interface {
	// Claimable reports whether there are any.
	Claimable() bool
	// Claimed returns the principal of the program with this session key and id.
	Claimed(c gate.Claim) (contracts.Principal, bool)
}

// Config says how the door behaves. Office and NewUUID are needed.
type Config struct {
	Office  Office
	NewUUID func() string

	// Driver opens an agent that nobody dialled in for; ok is false when the agent
	// is not known. nil means that only peers are reached.
	Driver func(agent string) (d drive.Driver, ok bool)
	// Confine turns a workspace that a caller names into a directory that may be
	// used and the root under which it lies, or says why not. nil refuses every
	// workspace.
	Confine func(workspace string) (root, path string, err error)

	// Loans admit programs that the office started; nil admits only tokens.
	Loans Loans
	// TrustLocal lets every program on this machine claim any session without a token.
	TrustLocal bool

	// ID returns the office's id for any name of an agent; nil uses names as they are.
	// Credentials that are bound to an agent are compared by id.
	ID func(name string) string

	DefaultAgent string        // of callers that name none; default agent_bd
	Heartbeat    time.Duration // default contracts.BridgeHeartbeat, at most BridgeHeartbeatMax
	Ping         time.Duration // default contracts.BridgePing
	Grace        time.Duration // default contracts.BridgeGrace
	Idle         time.Duration // default contracts.SessionIdle
	TurnTimeout  time.Duration // default contracts.BridgeTurn
	Now          func() time.Time
	Log          *slog.Logger
}

// Bridge is the door. Close ends every conversation.
type Bridge struct {
	cfg    Config
	peers  *peers
	life   context.Context
	end    context.CancelFunc
	work   sync.WaitGroup
	closed bool

	conversing sync.Mutex // held while a question without a name finds its conversation

	mu       sync.Mutex
	sessions map[string]*session
	finder   completion.Finder
	parked   []*session // without a name, waiting to be continued; oldest first
}

// New makes a bridge; it is open until Close.
func New(cfg Config) *Bridge {
	if cfg.DefaultAgent == "" {
		cfg.DefaultAgent = contracts.AgentBD
	}
	if cfg.ID == nil {
		cfg.ID = func(name string) string { return name }
	}
	if cfg.Heartbeat <= 0 {
		cfg.Heartbeat = contracts.BridgeHeartbeat
	}
	cfg.Heartbeat = min(cfg.Heartbeat, contracts.BridgeHeartbeatMax)
	if cfg.Ping <= 0 {
		cfg.Ping = contracts.BridgePing
	}
	if cfg.Grace <= 0 {
		cfg.Grace = contracts.BridgeGrace
	}
	if cfg.Idle <= 0 {
		cfg.Idle = contracts.SessionIdle
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
	b := &Bridge{cfg: cfg, sessions: map[string]*session{}, finder: completion.Finder{Limit: contracts.LimitBridgeEnds}}
	b.life, b.end = context.WithCancel(context.Background())
	b.peers = newPeers(b)
	return b
}

// Close stops every turn, lets go of every agent and waits for both. It may be
// called again, by whoever has to know that it is done.
func (b *Bridge) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.end()
	b.peers.close()
	b.work.Wait()
	var ending sync.WaitGroup
	for _, s := range b.sessions { // nobody adds or removes one any more
		ending.Go(s.close)
	}
	ending.Wait()
}

// session finds or opens the session of an address; root is that of a conversation
// without a name.
func (b *Bridge) session(a address, root completion.Digest) (*session, *problem) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, closing()
	}
	if s := b.sessions[a.key()]; s != nil {
		return s, nil
	}
	if len(b.sessions) >= contracts.LimitBridgeSessions {
		return nil, tooMany("There are %d conversations already. Try again when some have ended.", contracts.LimitBridgeSessions)
	}
	s := &session{bridge: b, addr: a, root: root, recent: map[string]*turn{}}
	b.sessions[a.key()] = s
	return s, nil
}

func closing() *problem { return unavailable("The office is closing. Try again in a moment.") }

// submit hands a question to the session of its address.
func (b *Bridge) submit(r retry, q question) (*turn, *problem) {
	for {
		s, refused := b.session(q.addr, q.root)
		if refused != nil {
			return nil, refused
		}
		if t, refused := s.submit(r, q); t != nil || refused != nil {
			return t, refused
		}
	}
}

// start runs a session's work, unless the bridge is closing: Close waits for what
// was started and for nothing that comes later.
func (b *Bridge) start(work func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.work.Go(work)
	return true
}

// forget drops a session that has nothing to do and nobody to talk to.
func (b *Bridge) forget(s *session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed && b.sessions[s.addr.key()] == s {
		delete(b.sessions, s.addr.key())
	}
}

// open reaches the agent of an address: a peer that dialled in for the session,
// else a program of ours. takes is what it takes.
func (b *Bridge) open(ctx context.Context, a address) (line drive.Session, takes drive.Takes, err error) {
	if p := b.peers.find(a); p != nil {
		return p, takes, nil
	}
	d, ok := b.driver(a.agent)
	if !ok {
		return nil, takes, drive.ErrAbsent
	}
	spec := drive.Spec{Key: a.key(), AgentID: a.agent, Fleeting: !a.named()}
	if a.workspace != "" {
		if spec.Root, spec.Workspace, err = b.confine(a.workspace); err != nil {
			return nil, takes, err
		}
	}
	line, err = d.Open(ctx, spec)
	return line, drive.TakesOf(d), err
}

func (b *Bridge) driver(agent string) (drive.Driver, bool) {
	if b.cfg.Driver == nil {
		return nil, false
	}
	return b.cfg.Driver(agent)
}
