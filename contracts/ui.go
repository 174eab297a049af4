package contracts

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// UIKind says how a host draws a UI event (seed 003).
type UIKind string

// Kinds of UI events. An event without a kind was ignored.
const (
	UIStatus     UIKind = "status"
	UIMessage    UIKind = "message"
	UIToolCall   UIKind = "tool_call" // of abstract.tool_execution
	UIToolResult UIKind = "tool_result"
	UIProgress   UIKind = "progress"
	UIAsk        UIKind = "ask"
)

// UI is one workflow event: as received and as hosts draw it.
type UI struct {
	AgentID    string         `json:"agent_id,omitzero"`
	RunID      string         `json:"run_id,omitzero"`
	Session    string         `json:"session,omitzero"`
	Subrun     bool           `json:"subrun,omitzero"` // whether another run started its run
	Name       string         `json:"name"`
	Kind       UIKind         `json:"kind,omitzero"`
	Normalized jsontext.Value `json:"normalized,omitzero"`
	Raw        jsontext.Value `json:"raw"`
	Ignored    string         `json:"ignored,omitzero"`     // why nothing is drawn
	Source     string         `json:"source,omitzero"`      // who sent it; with EventID it counts once
	EventID    string         `json:"event_id,omitzero"`    // the sender's id of the event
	ExpiresAt  int64          `json:"expires_at,omitzero"`  // of a status; 0 means sticky
	DecisionID string         `json:"decision_id,omitzero"` // of an ask
}

// UIKey returns the ledger key under which an event of a sender counts once; empty if the sender
// gave no id, because then every event counts.
func UIKey(source, eventID string) string {
	if eventID == "" {
		return ""
	}
	return fmt.Sprintf("ui/%d/%s/%s", len(source), source, eventID)
}
