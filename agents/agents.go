// Package agents says what an adapter is: everything that the office knows of one
// vendor. A vendor is one folder here and one line in agents/all.
package agents

import (
	"context"
	"net/http"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/staff"
)

// Adapter describes a vendor. Functions that are nil say that the vendor has no such
// thing: without Drive nobody can be hired on it, without Watch nobody is watched.
type Adapter struct {
	contracts.Source

	// Kind is that of its runners; empty when nobody can be hired on it.
	Kind staff.Kind
	// Check examines a runner of this vendor, for `bullpen doctor`.
	Check func(context.Context, Checking) []Finding
	// Hooks installs hooks into the vendor's settings, for `bullpen hooks`.
	Hooks Hooks
	// Find looks for what of this vendor can be connected on this machine, for `bullpen
	// connect`. It changes nothing, and asks addresses of this machine only.
	Find func(context.Context, *Machine) []Item
}

// Office is what an adapter needs of the office. It works remotely, too: facts with an
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
	// State is the office as of now.
	State() contracts.Snapshot
	// Opened is what the adapter's source saw begin and not end.
	Opened(source string) []contracts.Opened
	// Orders calls fn with what the office wants of agents of the source, in order, from
	// now on, until ctx ends.
	Orders(ctx context.Context, source string, fn func(contracts.Record) error) error
}

// Watcher brings agents in that people run elsewhere.
type Watcher interface {
	// Run watches until ctx ends.
	Run(ctx context.Context) error
	// Doors are the HTTP routes that the vendor's programs report to, by pattern.
	Doors() map[string]http.HandlerFunc
	// Close lets requests go that wait for a person.
	Close()
}
