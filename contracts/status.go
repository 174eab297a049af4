package contracts

// Activity is a guest's current activity, according to the evidence.
type Activity string

// The activities of a guest.
const (
	ActivityWorking Activity = "working"
	ActivityWaiting Activity = "waiting" // waiting for a person
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
	FromEvent      EvidenceSource = "event"   // a UI event
	FromProgram    EvidenceSource = "program" // a list of sessions that the vendor's own program printed
	FromOffice     EvidenceSource = "office"
)

// Evidence is one observation of an agent. It is valid until Until; 0 means until there is newer
// evidence.
type Evidence struct {
	Source EvidenceSource `json:"source"`
	Says   string         `json:"says"` // text for people, such as "PreToolUse Bash" or "pid 4711 is gone"
	At     int64          `json:"at"`
	Until  int64          `json:"until,omitzero"`
}

// AgentStatus is an agent's activity according to one authority, with the evidence for it.
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

// LineCompacting is the line of an agent that is summarising its conversation to make space in its
// context.
const LineCompacting = "Compacting the conversation"
