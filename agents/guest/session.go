package guest

import "github.com/bullpen-office/bullpen/contracts"

// Config configures a Session. The zero value works.
type Config struct {
	Home         string // the user's home directory, shown as ~
	KeepThinking bool   // store the thinking text, not only the fact that the agent is thinking

	// Repo returns the repository that a directory is in; ok is false if there is none. If Repo is
	// nil, profiles have no repository.
	Repo func(dir string) (path string, ok bool)

	// Price estimates the cost of usage that was reported without a cost; ok is false if the price
	// is unknown. hour is the number of tokens written to a one-hour cache. If Price is nil, no
	// cost is estimated.
	Price func(u contracts.Usage, hour int64) (usd float64, ok bool)
}

// Session is one agent: a vendor's session, or one of its sub-agents. Hooks must arrive in order,
// and so must rows; how the two are interleaved does not matter. A Session is not safe for
// concurrent use.
type Session interface {
	// Profile returns the known part of the agent's profile.
	Profile() contracts.AgentProfile
	// Restore adds a turn or call that was opened before a restart.
	Restore(o contracts.Opened)
	// NameSubagent names a sub-agent after its task, or after its kind if text is empty. It reports
	// whether the name has changed.
	NameSubagent(kind, text string) (changed bool)

	// Hook handles a hook. at is the arrival time in Unix milliseconds.
	Hook(h Hook, at int64) Updates
	// Asks returns the decisions for a hook that is waiting for a person.
	Asks(h Hook, expiresAt int64) []contracts.AskSeen
	// Row handles a line of the session's file.
	Row(r Row) Updates
	// Live handles a change to the session's state file.
	Live(l Live) Updates

	// Busy reports whether Settle has something to report now or later.
	Busy() bool
	// Settle reports everything that is due at the given time.
	Settle(now int64) Updates
	// Close ends the session; ended is the reason. Open turns and calls may end later, in Settle.
	Close(at int64, ended string) Updates
	// Closing reports whether the session has ended and Settle has yet to end its open turns and calls.
	Closing() bool
	// GiveUp ends all open turns and calls, because their ends will not be reported.
	GiveUp(at int64, reason string) Updates
	// Rewind prepares for rereading the file from the start.
	Rewind()
	// RereadDone must be called after Rewind, when the file has been reread to its end.
	RereadDone() Updates
}

// Hook is a decoded hook from a vendor's program.
type Hook interface {
	Head() HookHead
	// Answer returns the response that tells the vendor's program the decisions, which must be in the
	// order of Session.Asks. nil means that there is no answer, so the terminal keeps asking.
	Answer(decisions ...contracts.Decision) []byte
}

// HookHead contains the members that every vendor's hooks have in common.
type HookHead struct {
	Event, Session string
	Agent          string // set for a sub-agent
	Tool           string
	PID            int // process of the agent, added by `bullpen hook`; 0 if unknown
	PIDStart       int64
	Asks           bool     // the hook waits for a permission that people can grant in the office
	Continued      bool     // the agent continued, so it is not waiting for answers to earlier questions
	Internal       bool     // the hook is internal: it does not make an unknown sub-agent join
	Ends           bool     // the hook reports the end of a session: it does not make an unknown session join
	Mismatched     []string // JSON members that were ignored because they have an unexpected type
}

// Row is a decoded line of a session's file.
type Row interface {
	Head() RowHead
	// Clamp caps the time at now.
	Clamp(now int64)
}

// RowHead contains the members that the lines of every vendor's files have in common.
type RowHead struct {
	Kind       string
	At         int64    // Unix milliseconds; 0 if unknown
	Cwd        string   // the session's directory; empty if the line does not contain it
	Mismatched []string // JSON members that were ignored because they have an unexpected type
}

// Live is the decoded state file of a running process.
type Live interface{ Head() LiveHead }

// LiveHead names the session that a process runs.
type LiveHead struct {
	Session, Cwd string
	PID          int
	Started      int64 // start time of the process in clock ticks; 0 if unknown
}
