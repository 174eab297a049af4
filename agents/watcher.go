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
	// Run watches until ctx is done. An error stops the office, so Run retries everything it can.
	Run(ctx context.Context) error
	// Doors returns the HTTP routes that the vendor's programs report to, by pattern. Operators and
	// agents may use them; viewers may not.
	Doors() map[string]http.HandlerFunc
	// Workdir returns the directory that an agent has been proven to work in; empty if it is
	// unknown. The office may open files there, so a caller's claim is not enough.
	Workdir(agentID string) string
	// Links returns the watcher's connections, for /readyz.
	Links() []Link
	// Close ends requests that are waiting for a person, without waiting for them to finish.
	Close()
}

// Link is the state of a watcher's connection to a system that runs agents.
type Link struct {
	URL       string   `json:"url"`
	Connected bool     `json:"connected"`
	Version   string   `json:"version,omitzero"` // version of the remote system
	Scopes    []string `json:"scopes,omitzero"`  // granted scopes
	People    int      `json:"people"`
	Problem   string   `json:"problem,omitzero"` // why the link is not connected
	Do        string   `json:"do,omitzero"`      // what to do about the problem
}

// Office is the part of the office that a watcher may use. All methods can be called over a network.
// Facts about activity and usage carry a key, so one that is sent twice is recorded once. A question
// must not be sent twice.
type Office interface {
	// Tell records facts in order and returns one reply per fact once the facts are durable. After
	// a refusal with code INTERNAL, retry the same fact. Other refusals are final.
	Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply
	// PutBlob stores content and returns its hash. Call it before you pass Tell a fact
	// that refers to the hash.
	PutBlob(ctx context.Context, content []byte) (sha256 string, err error)
	// Await returns a decision once it is resolved or cancelled.
	Await(ctx context.Context, decisionID string) (contracts.Decision, error)
	// PublishStream shows text as it is written; the text is not recorded.
	PublishStream(d contracts.StreamDelta)
	// SourceState returns a source's agents, open questions and open turns.
	SourceState(ctx context.Context, source string) (SourceState, error)
	// Orders calls fn with each order issued for the source's agents since the office started,
	// oldest first, and then with each new order, until ctx is done or fn returns an error. Call
	// Orders only once: a second call repeats the earlier orders.
	Orders(ctx context.Context, source string, fn func(contracts.HUD) error) error
}

// SourceState lists one source's agents, open questions and open turns.
type SourceState struct {
	Agents    []contracts.Agent    // the source's agents in the office
	Decisions []contracts.Decision // open decisions of these agents
	Begun     []contracts.Opened   // turns and calls of the source that have not ended
}

// Roster keeps track of the agents in the office and of the evidence about them. It runs on the same
// machine as the agents' processes.
type Roster interface {
	// Join admits an agent or updates its profile; it is idempotent.
	Join(ctx context.Context, p contracts.AgentProfile, proof intake.Proof) error
	// AddEvidence records a piece of evidence. It never blocks.
	AddEvidence(ctx context.Context, agentID string, e status.Evidence)
	// UncertainGuests returns the ids of the source's agents whose status is so uncertain that the
	// vendor's program should be asked. Sub-agents are not included.
	UncertainGuests(source string) []string
	// WatchProcess watches an agent's process; the agent leaves when the process exits.
	WatchProcess(agentID string, pid int, started int64)
	// Leave removes the agent asynchronously.
	Leave(ctx context.Context, agentID, reason string)
}
