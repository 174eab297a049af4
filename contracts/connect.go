package contracts

// ConnectState is the state of a ConnectItem.
type ConnectState string

// The states of a ConnectItem.
const (
	ConnectConnected ConnectState = "connected"
	ConnectFound     ConnectState = "found"   // on this machine; the command connects it
	ConnectReady     ConnectState = "ready"   // ready to use
	ConnectMissing   ConnectState = "missing" // not on this machine; the command installs it
	ConnectProblem   ConnectState = "problem" // connected but not working
)

// ConnectGroup determines where connected agents appear.
type ConnectGroup string

// The groups that a ConnectItem can belong to.
const (
	ConnectDesks  ConnectGroup = "desks"  // real agents in place of the rehearsal crew
	ConnectGuests ConnectGroup = "guests" // agents that run elsewhere and are shown here
)

// ConnectItem is a program or service whose agents can be connected to the office.
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

// ConnectPlan describes the change that the office itself would make to connect an item.
type ConnectPlan struct {
	Path  string   `json:"path"`  // the file that changes
	Lines []string `json:"lines"` // the changes to the file at Path
}

// ConnectReport is the response to GET /v1/connect: what was found on the office machine.
type ConnectReport struct {
	Crew   string        `json:"crew,omitzero"` // the crew of the running office: rehearsal, claude …
	Permit bool          `json:"permit"`        // whether the caller may execute a plan
	Items  []ConnectItem `json:"items"`

	Outposts []OutpostHealth `json:"outposts,omitzero"` // machines that have joined the office
}
