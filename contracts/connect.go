package contracts

// ConnectState is how far something is from being connected.
type ConnectState string

// The states of an item.
const (
	ConnectConnected ConnectState = "connected"
	ConnectFound     ConnectState = "found"   // it is on this machine; the command connects it
	ConnectReady     ConnectState = "ready"   // it can be used at any time
	ConnectMissing   ConnectState = "missing" // it is not on this machine; the command installs it
	ConnectProblem   ConnectState = "problem" // it is connected but does not work
)

// ConnectGroup says where connected agents appear.
type ConnectGroup string

// The groups of items.
const (
	ConnectDesks  ConnectGroup = "desks"  // real agents in place of the rehearsal crew
	ConnectGuests ConnectGroup = "guests" // agents that run elsewhere and are seen here
)

// ConnectItem is one thing that can be connected.
type ConnectItem struct {
	ID      string       `json:"id"`
	Group   ConnectGroup `json:"group"`
	Name    string       `json:"name"`
	State   ConnectState `json:"state"`
	Saw     string       `json:"saw"`     // what was found, in one sentence
	Does    string       `json:"does"`    // what the command does
	Command string       `json:"command"` // the one command
	Plan    *ConnectPlan `json:"plan,omitzero"`
}

// ConnectPlan is what the office would change if it connected an item itself.
type ConnectPlan struct {
	Path  string   `json:"path"`  // the file that changes
	Lines []string `json:"lines"` // what changes in it
}

// ConnectReport is the answer of GET /v1/connect: what was found on the office machine.
type ConnectReport struct {
	Crew   string        `json:"crew,omitzero"` // the crew of the running office: rehearsal, claude …
	Permit bool          `json:"permit"`        // whether the caller may have a plan carried out
	Items  []ConnectItem `json:"items"`
}
