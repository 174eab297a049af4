package bridge

import (
	"log/slog"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/turn"
)

// Config says how the endpoints behave. Engine, Agents and NewUUID are required.
type Config struct {
	Engine  *turn.Engine
	Agents  func() []string // the names that callers may use, for the list of models
	NewUUID func() string

	DefaultAgent string        // of callers that name none; default agent_bd
	Heartbeat    time.Duration // default contracts.BridgeHeartbeat, at most BridgeHeartbeatMax
	TurnTimeout  time.Duration // default contracts.BridgeTurn
	Now          func() time.Time
	Log          *slog.Logger
}

// Bridge serves the endpoints. It holds no conversation: those are the engine's.
type Bridge struct {
	cfg Config

	conversing sync.Mutex // held while a question without a name finds its conversation

	mu     sync.Mutex
	finder completion.Finder
}

// New makes a bridge over an engine.
func New(cfg Config) *Bridge {
	if cfg.DefaultAgent == "" {
		cfg.DefaultAgent = contracts.AgentBD
	}
	if cfg.Heartbeat <= 0 {
		cfg.Heartbeat = contracts.BridgeHeartbeat
	}
	cfg.Heartbeat = min(cfg.Heartbeat, contracts.BridgeHeartbeatMax)
	if cfg.TurnTimeout <= 0 {
		cfg.TurnTimeout = contracts.BridgeTurn
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Bridge{cfg: cfg, finder: completion.Finder{Limit: contracts.LimitBridgeEnds}}
}
