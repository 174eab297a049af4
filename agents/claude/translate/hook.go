package translate

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Hook is the body of one hook call. Unknown members are ignored; members whose type may change
// between versions stay raw.
type Hook struct {
	Event      string         `json:"hook_event_name"`
	Session    string         `json:"session_id"`
	PromptID   string         `json:"prompt_id"`
	Transcript string         `json:"transcript_path"`
	Cwd        string         `json:"cwd"`
	AgentID    string         `json:"agent_id"` // set for a sub-agent
	AgentType  string         `json:"agent_type"`
	Model      jsontext.Value `json:"model"`

	Tool        string         `json:"tool_name"`
	Input       jsontext.Value `json:"tool_input"`
	Response    jsontext.Value `json:"tool_response"`
	CallID      string         `json:"tool_use_id"`
	DurationMS  jsontext.Value `json:"duration_ms"`
	Error       jsontext.Value `json:"error"`
	IsInterrupt bool           `json:"is_interrupt"`
	Batch       []BatchCall    `json:"tool_calls"`
	Suggestions jsontext.Value `json:"permission_suggestions"`

	Prompt       jsontext.Value `json:"prompt"`
	Source       string         `json:"source"`  // set on SessionStart
	Reason       jsontext.Value `json:"reason"`  // set on SessionEnd and PermissionDenied
	Trigger      string         `json:"trigger"` // set on PreCompact: "manual" or "auto"
	Notification string         `json:"notification_type"`
	Message      jsontext.Value `json:"message"`
	LastMessage  jsontext.Value `json:"last_assistant_message"`

	MessageID string `json:"message_id"` // set on MessageDisplay
	Index     int64  `json:"index"`
	Final     bool   `json:"final"`
	Delta     string `json:"delta"`

	Stored bool `json:"-"` // the hook was stored on disk, so an earlier process may already have recorded what it reports

	PID      int   `json:"bullpen_pid"`       // Claude Code's process id, added by `bullpen hook`
	PIDStart int64 `json:"bullpen_pid_start"` // the process's start time in clock ticks

	Mismatched []string `json:"-"` // JSON members that were ignored because they have an unexpected type
}

// BatchCall is one call in a PostToolBatch hook.
type BatchCall struct {
	Tool     string         `json:"tool_name"`
	Input    jsontext.Value `json:"tool_input"`
	CallID   string         `json:"tool_use_id"`
	Response jsontext.Value `json:"tool_response"`
}

var errNotObject = errors.New("not a JSON object")

// ParseHook decodes the body of a hook call. It fails if the event or the session is missing.
func ParseHook(body []byte) (*Hook, error) {
	if trimmed := bytes.TrimSpace(body); len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, errNotObject
	}
	var h Hook
	mismatched, err := hud.Decode(body, &h)
	if err != nil {
		return nil, fmt.Errorf("cannot be decoded: %w", err)
	}
	h.Mismatched = mismatched
	h.Event, h.Session, h.AgentID = guest.Name(h.Event), guest.Name(h.Session), guest.Name(h.AgentID)
	h.PromptID, h.CallID, h.Tool = guest.Name(h.PromptID), guest.Name(h.CallID), guest.Name(h.Tool)
	h.AgentType, h.MessageID = guest.Name(h.AgentType), guest.Name(h.MessageID)
	switch {
	case h.Event == "":
		return nil, errors.New("missing hook_event_name")
	case h.Session == "":
		return nil, errors.New("missing session_id")
	}
	return &h, nil
}

// numberOf returns the value of a JSON number; ok is false if v is not a number.
func numberOf(v jsontext.Value) (n float64, ok bool) {
	if v.Kind() != '0' || json.Unmarshal(v, &n) != nil {
		return 0, false
	}
	return n, true
}

// ContentText returns the text of a message's content: a string unchanged, a list as its joined text
// blocks, and any other value as JSON.
func ContentText(v jsontext.Value) string {
	if v.Kind() != '[' {
		return guest.Text(v)
	}
	var blocks []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(v, &blocks, hud.Lenient) != nil {
		return string(v)
	}
	var texts []string
	for _, b := range blocks {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// onlyText reports whether v is a non-empty list that contains only text blocks.
func onlyText(v jsontext.Value) bool {
	var blocks []map[string]jsontext.Value
	if v.Kind() != '[' || json.Unmarshal(v, &blocks, hud.Lenient) != nil {
		return false
	}
	for _, b := range blocks {
		if len(b) != 2 || guest.Text(b["type"]) != "text" || b["text"].Kind() != '"' {
			return false
		}
	}
	return len(blocks) > 0
}
