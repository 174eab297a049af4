package contracts

// ConnectState is the state of something that can be connected.
type ConnectState string

// States of an item.
const (
	ConnectConnected ConnectState = "connected"
	ConnectFound     ConnectState = "found"   // on this machine; the command connects it
	ConnectReady     ConnectState = "ready"   // can be used at any time
	ConnectMissing   ConnectState = "missing" // not on this machine; the command installs it
	ConnectProblem   ConnectState = "problem" // connected but not working
)

// ConnectGroup says where connected agents appear.
type ConnectGroup string

// Groups of items.
const (
	ConnectDesks  ConnectGroup = "desks"  // real agents in place of the rehearsal crew
	ConnectGuests ConnectGroup = "guests" // agents that run elsewhere and are shown here
)

// ConnectItem is one thing that can be connected.
type ConnectItem struct {
	ID      string       `json:"id"`
	Group   ConnectGroup `json:"group"`
	Name    string       `json:"name"`
	State   ConnectState `json:"state"`
	Saw     string       `json:"saw"`     // what was found, in one sentence
	Does    string       `json:"does"`    // what the command does
	Command string       `json:"command"` // the command to run
	Plan    *ConnectPlan `json:"plan,omitzero"`
}

// ConnectPlan is what the office would change if it connected an item itself.
type ConnectPlan struct {
	Path  string   `json:"path"`  // the file that changes
	Lines []string `json:"lines"` // what changes in it
}

// ConnectReport is the response of GET /v1/connect: what was found on the office machine.
type ConnectReport struct {
	Crew   string        `json:"crew,omitzero"` // the crew of the running office: rehearsal, claude …
	Permit bool          `json:"permit"`        // whether the caller may execute a plan
	Items  []ConnectItem `json:"items"`
}
