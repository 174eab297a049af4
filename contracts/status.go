package contracts

// Activity is what a guest is doing according to its evidence.
type Activity string

// The activities of a guest.
const (
	ActivityWorking Activity = "working"
	ActivityWaiting Activity = "waiting" // for a person
	ActivityIdle    Activity = "idle"
	ActivityOffline Activity = "offline"
)

// EvidenceSource is where a piece of evidence comes from.
type EvidenceSource string

// Sources of evidence.
const (
	FromHook       EvidenceSource = "hook"
	FromTranscript EvidenceSource = "transcript"
	FromGateway    EvidenceSource = "gateway"
	FromStream     EvidenceSource = "stream"
	FromProcess    EvidenceSource = "process"
	FromSilence    EvidenceSource = "silence"
	FromEvent      EvidenceSource = "event" // a UI event
	FromOffice     EvidenceSource = "office"
)

// Evidence is one observation of an agent. It holds until Until; zero means until there is other
// evidence.
type Evidence struct {
	Source EvidenceSource `json:"source"`
	Says   string         `json:"says"` // for people: "PreToolUse Bash", "pid 4711 is gone"
	At     int64          `json:"at"`
	Until  int64          `json:"until,omitzero"`
}

// AgentStatus is the verdict about an agent: one authority decides it, and the evidence explains
// it.
type AgentStatus struct {
	AgentID   string         `json:"agent_id"`
	Activity  Activity       `json:"activity"`
	Line      string         `json:"line,omitzero"` // what it is doing, shown above its head
	Why       string         `json:"why"`
	Authority EvidenceSource `json:"authority"`
	Since     int64          `json:"since,omitzero"`
	Said      string         `json:"said,omitzero"`     // the start of its last answer
	Evidence  []Evidence     `json:"evidence,omitzero"` // newest first
}
