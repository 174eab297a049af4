package agents

import (
	"context"
	"net/http"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
)

// Watcher brings agents in that people run elsewhere.
type Watcher interface {
	// Run watches until ctx ends. An error stops the office: retry what can be retried.
	Run(ctx context.Context) error
	// Doors are the HTTP routes that the vendor's programs report to, by pattern. The
	// office admits operators and agents to them, not viewers.
	Doors() map[string]http.HandlerFunc
	// Workdir is the directory in which an agent is proven to work; empty when that is
	// not known. Files there can be opened, so the word of a caller is not a proof.
	Workdir(agentID string) string
	// Links are the connections that the watcher keeps, for /readyz.
	Links() []Link
	// Close ends requests that wait for a person. It does not wait for them.
	Close()
}

// Link is the state of a connection to where agents run.
type Link struct {
	URL       string   `json:"url"`
	Connected bool     `json:"connected"`
	Version   string   `json:"version,omitzero"` // of the other side
	Scopes    []string `json:"scopes,omitzero"`  // what it allows us
	People    int      `json:"people"`
	Problem   string   `json:"problem,omitzero"` // why it is not followed
	Do        string   `json:"do,omitzero"`      // what to do about it
}

// Office is what a watcher needs of the office. It works remotely, too: facts with an
// identity carry a key, so a fact that is told twice is one record.
type Office interface {
	// Tell takes facts in, in their order, and returns one reply for each once it is
	// durable. INTERNAL means: tell the same fact again. Other refusals are final.
	Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply
	// PutBlob keeps content before the fact that names its hash.
	PutBlob(ctx context.Context, content []byte) (sha256 string, err error)
	// Await returns once a decision is resolved or cancelled.
	Await(ctx context.Context, decisionID string) (contracts.Decision, error)
	// PublishStream shows text while it is written; it is not recorded.
	PublishStream(d contracts.StreamDelta)
	// Open is what there is of a source now.
	Open(ctx context.Context, source string) (Open, error)
	// Orders calls fn with what people want of agents of the source: with each order since
	// the office started, oldest first, then with new ones, until ctx ends or fn fails.
	// Call it once: a second call repeats them.
	Orders(ctx context.Context, source string, fn func(contracts.HUD) error) error
}

// Open is what the office has of one source.
type Open struct {
	Agents    []contracts.Agent    // inside
	Decisions []contracts.Decision // of them that are open
	Begun     []contracts.Opened   // turns and calls that the source saw begin and not end
}

// Roster knows who is in the office and what the evidence says of them. It runs where
// the agents' processes are.
type Roster interface {
	// Join returns once somebody is let in; letting in again changes nothing.
	Join(ctx context.Context, p contracts.AgentProfile, proof intake.Proof) error
	// Witness takes a piece of evidence. It never waits.
	Witness(ctx context.Context, agentID string, e status.Evidence)
	// Process watches the process of an agent: when it is gone, so is the agent.
	Process(agentID string, pid int, started int64)
	// Leave takes somebody out of the office soon.
	Leave(ctx context.Context, agentID, reason string)
}
