package translate

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Hook is the body of one hook call. Unknown members are ignored; members whose type may change
// between versions stay raw.
type Hook struct {
	Event   string         `json:"hook_event_name"`
	Session string         `json:"session_id"`
	Agent   string         `json:"agent_id"` // set for a sub-agent: the id of its thread
	Turn    string         `json:"turn_id"`
	Cwd     string         `json:"cwd"`
	Model   jsontext.Value `json:"model"`

	Tool     string         `json:"tool_name"`
	Input    jsontext.Value `json:"tool_input"`
	Response jsontext.Value `json:"tool_response"`
	CallID   string         `json:"tool_use_id"`

	Prompt      jsontext.Value `json:"prompt"`
	Source      string         `json:"source"` // set on SessionStart
	Reason      jsontext.Value `json:"reason"` // set on SessionEnd
	LastMessage jsontext.Value `json:"last_assistant_message"`

	PID      int   `json:"bullpen_pid"`       // Codex's process id, added by `bullpen hook`
	PIDStart int64 `json:"bullpen_pid_start"` // the process's start time in clock ticks

	Mismatched []string `json:"-"` // JSON members that were ignored because they have an unexpected type
}

// Events that hooks report.
const (
	sessionStart      = "SessionStart"
	sessionEnd        = "SessionEnd"
	promptSubmit      = "UserPromptSubmit"
	preToolUse        = "PreToolUse"
	postToolUse       = "PostToolUse"
	permissionRequest = "PermissionRequest"
	preCompact        = "PreCompact"
	postCompact       = "PostCompact"
	stop              = "Stop"
	interrupt         = "Interrupt"
)

// ParseHook decodes the body of a hook call. It fails if the event or the session is missing.
func ParseHook(body []byte) (*Hook, error) {
	if trimmed := bytes.TrimSpace(body); len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, errors.New("not a JSON object")
	}
	var h Hook
	mismatched, err := hud.Decode(body, &h)
	if err != nil {
		return nil, fmt.Errorf("cannot be decoded: %w", err)
	}
	h.Mismatched = mismatched
	h.Event, h.Session, h.Agent = guest.Name(h.Event), guest.Name(h.Session), guest.Name(h.Agent)
	h.Turn, h.CallID, h.Tool = guest.Name(h.Turn), guest.Name(h.CallID), guest.Name(h.Tool)
	switch {
	case h.Event == "":
		return nil, errors.New("missing hook_event_name")
	case h.Session == "":
		return nil, errors.New("missing session_id")
	}
	return &h, nil
}

// Head returns the fields that all vendors' hooks have in common.
func (h *Hook) Head() guest.HookHead {
	return guest.HookHead{
		Event: h.Event, Session: h.Session, Agent: h.Agent, Tool: h.Tool, PID: h.PID, PIDStart: h.PIDStart, Mismatched: h.Mismatched,
		Asks:      h.Event == permissionRequest && h.Tool != "" && len(h.Mismatched) == 0,
		Continued: h.Event == promptSubmit || h.Event == stop || h.Event == interrupt || h.Event == sessionEnd,
	}
}

// Answer returns the response to a permission request. nil means that there is no answer, so Codex
// asks in its terminal.
func (h *Hook) Answer(decisions ...contracts.Decision) []byte {
	if len(decisions) != 1 || decisions[0].Status != contracts.DecisionResolved {
		return nil
	}
	type verdict struct {
		Behavior string `json:"behavior"`
		Message  string `json:"message,omitzero"`
	}
	var v verdict
	switch d := decisions[0]; d.Choice {
	case contracts.OptionAllow:
		v.Behavior = "allow"
	case contracts.OptionDeny:
		v.Behavior, v.Message = "deny", cmp.Or(d.Note, "Denied by a person in the office.")
	default:
		return nil // not one of our options: never allow by mistake
	}
	type output struct {
		Event    string  `json:"hookEventName"`
		Decision verdict `json:"decision"`
	}
	return hud.Value(struct {
		Output output `json:"hookSpecificOutput"`
	}{output{permissionRequest, v}})
}
