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

// EvidenceSource is the origin of a piece of evidence.
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

// Evidence is one observation of an agent. It expires at Until; if Until is 0, it is valid until
// there is newer evidence.
type Evidence struct {
	Source EvidenceSource `json:"source"`
	Says   string         `json:"says"` // readable text, such as "PreToolUse Bash" or "pid 4711 is gone"
	At     int64          `json:"at"`
	Until  int64          `json:"until,omitzero"`
}

// AgentStatus is an agent's activity according to one authority, with the evidence for it.
type AgentStatus struct {
	AgentID   string         `json:"agent_id"`
	Activity  Activity       `json:"activity"`
	Line      string         `json:"line,omitzero"` // what the agent is doing, shown above its head
	Why       string         `json:"why"`
	Authority EvidenceSource `json:"authority"`
	Since     int64          `json:"since,omitzero"`
	Said      string         `json:"said,omitzero"`     // the start of the agent's last answer
	Evidence  []Evidence     `json:"evidence,omitzero"` // newest first
}

// LineCompacting is the line of an agent that is summarizing its conversation to make space in its
// context.
const LineCompacting = "Compacting the conversation"
