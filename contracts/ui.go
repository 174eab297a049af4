package contracts

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// UIKind determines how a client draws a workflow event.
type UIKind string

// Kinds of workflow events. An ignored event has no kind.
const (
	UIStatus     UIKind = "status"
	UIMessage    UIKind = "message"
	UIToolCall   UIKind = "tool_call" // from abstract.tool_execution
	UIToolResult UIKind = "tool_result"
	UIProgress   UIKind = "progress"
	UIAsk        UIKind = "ask"
)

// UI is one workflow event, both as received and in the form that clients draw.
type UI struct {
	AgentID    string         `json:"agent_id,omitzero"`
	RunID      string         `json:"run_id,omitzero"`
	Session    string         `json:"session,omitzero"`
	Subrun     bool           `json:"subrun,omitzero"` // whether another run started this event's run
	Name       string         `json:"name"`
	Kind       UIKind         `json:"kind,omitzero"`
	Normalized jsontext.Value `json:"normalized,omitzero"`
	Raw        jsontext.Value `json:"raw"`
	Ignored    string         `json:"ignored,omitzero"`     // why nothing is drawn
	Source     string         `json:"source,omitzero"`      // the sender; events with the same Source and EventID are recorded once
	EventID    string         `json:"event_id,omitzero"`    // the sender's own id for the event
	ExpiresAt  int64          `json:"expires_at,omitzero"`  // when a status expires; 0 means never
	DecisionID string         `json:"decision_id,omitzero"` // id of the decision that an ask opened; empty for other kinds
}

// UIKey returns the ledger key that keeps a sender's event from being recorded twice. It is empty
// if the sender gave no id; every event is then recorded.
func UIKey(source, eventID string) string {
	if eventID == "" {
		return ""
	}
	return fmt.Sprintf("ui/%d/%s/%s", len(source), source, eventID)
}
