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
	"github.com/bullpen-office/bullpen/turn"
)

// Office is what the bridge needs of the rest: who is there.
type Office interface {
	// Agents are the names that callers may use, for the list of models.
	Agents() []string
	// Present says whether anybody is dialled in for an agent, whenever that may have
	// changed.
	Present(agent string, here bool)
	// Reconnected reports that the program of a session has reconnected.
	Reconnected(agent, session string)
}

// Loans are the credentials of programs that the office started and that know only the
// variables of seed 002.
type Loans interface {
	// Claimable reports whether there are any.
	Claimable() bool
	// Claimed returns the principal of the program with this session key and id.
	Claimed(c gate.Claim) (contracts.Principal, bool)
}

// Config says how the door behaves. Office, Engine and NewUUID are needed.
type Config struct {
	Office  Office
	Engine  *turn.Engine // whose Directory is the bridge
	NewUUID func() string

	// Program finds who answers for an agent that nobody dialled in for; ok is false
	// when the agent is not known. nil means that only peers are reached.
	Program func(k turn.Key) (r turn.Route, ok bool)
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
	TurnTimeout  time.Duration // default contracts.BridgeTurn
	Now          func() time.Time
	Log          *slog.Logger
}

// Bridge is the door. It is the Directory of its engine. Close ends every conversation.
type Bridge struct {
	cfg   Config
	peers *peers
	life  context.Context
	end   context.CancelFunc
	work  sync.WaitGroup

	conversing sync.Mutex // held while a question without a name finds its conversation

	mu     sync.Mutex
	closed bool
	finder completion.Finder
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
	if cfg.TurnTimeout <= 0 {
		cfg.TurnTimeout = contracts.BridgeTurn
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	b := &Bridge{cfg: cfg, finder: completion.Finder{Limit: contracts.LimitBridgeEnds}}
	b.life, b.end = context.WithCancel(context.Background())
	b.peers = newPeers(b)
	return b
}

// Close stops every turn, lets go of every agent and waits for both. It may be
// called again to wait.
func (b *Bridge) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.end()
	var engine sync.WaitGroup
	engine.Go(b.cfg.Engine.Close) // stops the turns that peers wait for
	b.peers.close()
	engine.Wait()
	b.work.Wait()
}

// start runs fn, unless the bridge is closing: Close waits for what was started and for
// nothing that comes later.
func (b *Bridge) start(fn func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.work.Go(fn)
	return true
}

// Find says who answers in a conversation: a peer that dialled in for it, else a program
// of the office. A peer that dialled in since takes over from a program, unless it is
// that program.
func (b *Bridge) Find(_ context.Context, k turn.Key) (turn.Route, error) {
	if p := b.peers.find(k); p != nil {
		return turn.Route{AgentID: b.cfg.ID(k.Agent), Driver: p, Free: true, Serves: p.speaksFor}, nil
	}
	if r, ok := b.program(k); ok {
		return r, nil
	}
	return turn.Route{}, drive.ErrAbsent
}

func (b *Bridge) program(k turn.Key) (turn.Route, bool) {
	if b.cfg.Program == nil {
		return turn.Route{}, false
	}
	return b.cfg.Program(k)
}
