package watch

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
)

// Office is where facts go. Tell takes them in, in their order, and returns one
// reply for each once it is durable.
type Office interface {
	Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply
}

// Roster knows who is in the office. Join returns once somebody is let in; letting
// in again changes nothing. The others never wait.
type Roster interface {
	Join(ctx context.Context, p contracts.AgentProfile, proof intake.Proof) error
	Witness(ctx context.Context, agentID string, e status.Evidence)
	Process(agentID string, pid int, started int64)
	Leave(ctx context.Context, agentID, reason string)
}

// Answers tells how a decision ended. Await returns once it has.
type Answers interface {
	Await(ctx context.Context, decisionID string) (contracts.Decision, error)
}

// Streams shows text that is being written; it keeps nothing and never blocks for
// long.
type Streams interface {
	PublishStream(d contracts.StreamDelta)
}

// Blobs keeps content by its hash; it is durable when PutBlob returns.
type Blobs interface {
	PutBlob(ctx context.Context, content []byte) (sha256 string, err error)
}

// Config is what the intake is made of. Office, Roster and Blobs are required.
type Config struct {
	Office  Office
	Roster  Roster
	Blobs   Blobs
	Answers Answers            // nil leaves permissions to the terminal
	Streams Streams            // nil shows no text while it is written
	Open    []contracts.Opened // what an earlier life saw begin and not end

	Ignore    func(session string) bool                    // sessions that the office runs itself and shows already; nil means none
	State     func() contracts.Snapshot                    // the office as of now; nil means an empty one
	Principal func(*http.Request) contracts.Principal      // nil means that nobody is bound to an agent
	Alive     func(pid int, started int64) bool            // nil means intake.ProcessAlive
	WorkdirOf func(pid int, started int64) string          // of a Claude Code process, empty if it is none; nil means intake.ClaudeWorkdir
	Dir       string                                       // Claude Code's own directory; empty reads no files
	Home      string                                       // of the user, shown as ~
	Keep      bool                                         // store what agents think
	Price     func(contracts.Usage, int64) (float64, bool) // of reports that name none, see wire.Config; nil means unknown
	Backlog   int64                                        // bytes of hooks that may wait to be recorded; default contracts.LimitHookBacklog
	NewUUID   func() string                                // nil means random
	Now       func() time.Time                             // nil means time.Now
	Log       *slog.Logger                                 // nil discards
	Metrics   prometheus.Registerer                        // nil counts for nobody
}

func (c Config) withDefaults() Config {
	if c.WorkdirOf == nil {
		c.WorkdirOf = intake.ClaudeWorkdir
	}
	if c.Ignore == nil {
		c.Ignore = func(string) bool { return false }
	}
	if c.State == nil {
		c.State = func() contracts.Snapshot { return contracts.Snapshot{} }
	}
	if c.Principal == nil {
		c.Principal = func(*http.Request) contracts.Principal { return contracts.Principal{} }
	}
	if c.Alive == nil {
		c.Alive = intake.ProcessAlive
	}
	if c.Backlog == 0 {
		c.Backlog = contracts.LimitHookBacklog
	}
	if c.NewUUID == nil {
		c.NewUUID = uuid.NewString
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}
