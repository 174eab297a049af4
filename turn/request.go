package turn

import (
	"time"

	"github.com/bullpen-office/bullpen/drive"
)

// Request asks for one turn. Key and Prompt are required.
type Request struct {
	Key     Key
	Prompt  drive.Prompt // as people see it; sent as it is unless Prepare says otherwise
	Origin  string       // a work key, or contracts.OriginCaller
	TaskID  string
	Project string // id of the project that the turn works for
	Label   string // of the turn; default: the prompt's text
	Stream  string // id of the stream that shows its text
	Said    string // the message that it answers, recorded before it; empty: none is recorded
	Session int    // of the agent, for the office's own conversations
	Route   *Route // who answers; nil asks the Directory

	Rehearsal bool // everything of the turn is marked as a rehearsal

	Workspace string // directory named by the caller; default: the agent's own
	Confined  bool   // the workspace is binding for the conversation
	Temporary bool   // nobody can name the conversation again: its id need not be kept

	Join    Join
	Orphan  time.Duration // stop the turn after this long without a caller; 0 means never
	Timeout time.Duration // of the whole turn; 0: none
	Stall   time.Duration // stop the turn after this long without activity; 0 means never

	// Prepare composes what the agent is told over an open connection, again after the
	// conversation had to be started over. nil sends Prompt.
	Prepare func(l *Connection) (drive.Prompt, error)
	// Check looks at an answer, or at the error instead of one, and may ask once more
	// in the same turn by returning another prompt.
	Check func(l *Connection, a drive.Answer, err error) *drive.Prompt
	// Explain puts what failed the turn into words for people. nil leaves it as it is.
	Explain func(err error) error
	// Finish takes the whole answer before the end of the turn is recorded and returns
	// what the turn says of itself; an error fails the turn. told are the texts that
	// callers may have read.
	Finish func(l *Connection, a drive.Answer, told []string) (said string, err error)
	// Progress receives the turn's progress. It must not block.
	Progress func(percent int, preview string)
}

// Join identifies the earlier request that a request repeats.
type Join struct {
	ID       string // that all attempts carry; empty when they carry nothing
	Explicit bool   // the caller made ID for this one request
	Retry    bool   // the caller says so, without an ID
	Content  string // requests with equal Content ask the same
	Group    string // of conversations without a name, among which Tried looks
	MustJoin bool   // join a turn or fail with ErrNoTurn; begin none
}

// Connection is an open conversation. It is replaced when the agent has to be opened again.
type Connection struct {
	drive.Session
	Takes drive.Takes
	Spec  drive.Spec
	Notes any // owned by the code that uses the connection; discarded with it

	route   Route
	resumed bool // opened to go on, and has not answered yet
	release func()
}
