package agents

import (
	"context"
	"net/http"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
)

// Watcher reports agents that run outside the office.
type Watcher interface {
	// Run watches until ctx ends. An error stops the office, so Run retries whatever it can.
	Run(ctx context.Context) error
	// Doors returns the HTTP routes that the vendor's programs report to, by pattern. They
	// are for operators and agents; viewers may not use them.
	Doors() map[string]http.HandlerFunc
	// Workdir returns the directory in which an agent is proven to work; empty if it is
	// unknown. Files there can be opened, so the claim of a caller is not proof.
	Workdir(agentID string) string
	// Links returns the connections of the watcher, for /readyz.
	Links() []Link
	// Close ends requests that wait for a person, without waiting for them to finish.
	Close()
}

// Link is the state of a watcher's connection to a system that runs agents.
type Link struct {
	URL       string   `json:"url"`
	Connected bool     `json:"connected"`
	Version   string   `json:"version,omitzero"` // of the other side
	Scopes    []string `json:"scopes,omitzero"`  // granted scopes
	People    int      `json:"people"`
	Problem   string   `json:"problem,omitzero"` // why it is not connected
	Do        string   `json:"do,omitzero"`      // what to do about it
}

// Office is the part of the office a watcher may use. All of it can be called remotely:
// facts carry a key, so a fact that is sent twice is recorded once.
type Office interface {
	// Tell records facts in order and returns one reply per fact once they are durable. A
	// refusal with code INTERNAL means: retry the same fact. Other refusals are final.
	Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply
	// PutBlob stores content and returns its hash. Call it before Tell with a fact that
	// refers to the hash.
	PutBlob(ctx context.Context, content []byte) (sha256 string, err error)
	// Await returns once a decision is resolved or cancelled.
	Await(ctx context.Context, decisionID string) (contracts.Decision, error)
	// PublishStream shows text while it is written; the text is not recorded.
	PublishStream(d contracts.StreamDelta)
	// Open returns the agents, open questions and open turns of a source.
	Open(ctx context.Context, source string) (Open, error)
	// Orders calls fn with each order for agents of the source since the office started,
	// oldest first, then with new orders, until ctx ends or fn fails. Call Orders only
	// once: a second call repeats the earlier orders.
	Orders(ctx context.Context, source string, fn func(contracts.HUD) error) error
}

// Open lists the agents, open questions and open turns of one source.
type Open struct {
	Agents    []contracts.Agent    // in the office
	Decisions []contracts.Decision // open decisions of these agents
	Begun     []contracts.Opened   // turns and calls of the source that have not ended
}

// Roster holds the agents in the office and the evidence about them. It runs on the machine
// of the agents' processes.
type Roster interface {
	// Join admits an agent; it is idempotent.
	Join(ctx context.Context, p contracts.AgentProfile, proof intake.Proof) error
	// Witness records a piece of evidence. It never blocks.
	Witness(ctx context.Context, agentID string, e status.Evidence)
	// Process watches the process of an agent; the agent leaves when the process exits.
	Process(agentID string, pid int, started int64)
	// Leave removes the agent asynchronously.
	Leave(ctx context.Context, agentID, reason string)
}
