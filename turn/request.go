package turn

import (
	"context"
	"time"

	"github.com/bullpen-office/bullpen/drive"
)

// Request describes one turn to run. Key and Prompt are required.
type Request struct {
	Key     Key
	Prompt  drive.Prompt // shown to people; also sent to the agent unless Prepare is set
	Origin  string       // a work key, or contracts.OriginCaller
	TaskID  string
	Project string // id of the project
	Label   string // shown for the turn; default: the prompt's text
	Stream  string // id of the stream that shows the turn's text
	Said    string // message that the turn answers, recorded before the turn; empty if there is none
	Session int    // session number of the agent, for the office's own conversations
	Route   *Route // the route to the agent that answers; if it is nil, the Directory decides

	Rehearsal bool // marks everything in the turn as a rehearsal

	Workspace string // directory named by the caller; default: the agent's own
	Confined  bool   // fail if the conversation uses another workspace
	Temporary bool   // the conversation is not resumed, so its id is not stored

	Join    Join
	Orphan  time.Duration // stop the turn after this long without a caller; 0 means never
	Timeout time.Duration // time limit for the whole turn; 0 means none
	Stall   time.Duration // stop the turn after this long without activity; 0 means never

	// Begin runs when the turn leaves the queue, before anything is recorded. An error ends the turn.
	Begin func(ctx context.Context) error
	// Prepare composes the prompt for an open connection. It is called again if the conversation
	// had to be replaced. If Prepare is nil, Prompt is sent.
	Prepare func(l *Connection) (drive.Prompt, error)
	// Check validates an answer or an error. If it returns a prompt, the agent is asked again in
	// the same turn. ctx is cancelled when the turn is stopped.
	Check func(ctx context.Context, l *Connection, a drive.Answer, err error) *drive.Prompt
	// Explain converts the error of a failed turn into one that people understand. If Explain is
	// nil, the error is kept.
	Explain func(err error) error
	// Finish receives the complete answer before the end of the turn is recorded, and returns the
	// turn's summary; an error fails the turn. versions lists the versions of the answer that
	// callers may have read. ctx is cancelled contracts.RecordTimeout after the turn is stopped.
	Finish func(ctx context.Context, l *Connection, a drive.Answer, versions []string) (said string, err error)
	// Progress receives the turn's progress. It must not block.
	Progress func(percent int, preview string)
}

// Join identifies the earlier request that a request repeats.
type Join struct {
	ID       string // idempotency key, the same for all attempts; empty if there is none
	Explicit bool   // the caller set ID itself, so reusing it for another request is an error
	Retry    bool   // the caller marked the request as a retry but set no ID
	Content  string // fingerprint of the content; equal for requests with the same content
	Group    string // group of unnamed conversations; FindConversation searches it for the request
	MustJoin bool   // join a turn or fail with ErrNoTurn; never start one
}

// Connection is an open session with an agent. If the session has to be opened again, a new
// Connection replaces it.
type Connection struct {
	drive.Session
	Capabilities drive.Capabilities
	Spec         drive.Spec
	Notes        any // owned by the code that uses the connection; discarded with the connection

	// Sink records, as part of the turn, the calls that Request.Check makes.
	Sink drive.Sink

	route   Route
	resumed bool // the session was opened to resume a conversation and has not answered yet
	release func()
}
