package bridge

import (
	"log/slog"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/bridge/responses"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/turn"
)

// Config configures a Bridge. Engine, Agents and NewUUID are required.
type Config struct {
	Engine  *turn.Engine
	Agents  func() []string // names that callers may use; listed as models
	NewUUID func() string

	DefaultAgent string        // used if the caller names no agent; default agent_bd
	Heartbeat    time.Duration // default contracts.BridgeHeartbeat, at most BridgeHeartbeatMax
	TurnTimeout  time.Duration // default contracts.BridgeTurnTimeout
	Now          func() time.Time
	Log          *slog.Logger
}

// Bridge serves the endpoints. The engine manages the conversations.
type Bridge struct {
	cfg Config

	conversing sync.Mutex // serializes requests that name no conversation

	mu     sync.Mutex
	finder completion.Finder
	store  responses.Store
}

// New returns a bridge that submits turns to cfg.Engine.
func New(cfg Config) *Bridge {
	if cfg.DefaultAgent == "" {
		cfg.DefaultAgent = contracts.AgentBD
	}
	if cfg.Heartbeat <= 0 {
		cfg.Heartbeat = contracts.BridgeHeartbeat
	}
	cfg.Heartbeat = min(cfg.Heartbeat, contracts.BridgeHeartbeatMax)
	if cfg.TurnTimeout <= 0 {
		cfg.TurnTimeout = contracts.BridgeTurnTimeout
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Bridge{
		cfg: cfg, finder: completion.Finder{Limit: contracts.LimitBridgeEnds},
		store: responses.Store{Limit: contracts.LimitBridgeResponses, Bytes: contracts.LimitBridgeStore},
	}
}
