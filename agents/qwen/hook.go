package qwen

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/agents/guest/hooked"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// The events that hooks report.
const (
	sessionStart       = "SessionStart"
	sessionEnd         = "SessionEnd"
	promptSubmit       = "UserPromptSubmit"
	preToolUse         = "PreToolUse"
	postToolUse        = "PostToolUse"
	postToolUseFailure = "PostToolUseFailure"
	permissionRequest  = "PermissionRequest"
	notification       = "Notification"
	subagentStart      = "SubagentStart"
	subagentStop       = "SubagentStop"
	preCompact         = "PreCompact"
	postCompact        = "PostCompact"
	stop               = "Stop"
	stopFailure        = "StopFailure"
)

// body is the JSON body of a hook call. Unknown members are ignored; members that may change type
// between versions stay raw.
type body struct {
	Event   string         `json:"hook_event_name"`
	Session string         `json:"session_id"`
	Sent    string         `json:"timestamp"`
	Cwd     string         `json:"cwd"`
	Model   jsontext.Value `json:"model"`

	Tool        string         `json:"tool_name"`
	Input       jsontext.Value `json:"tool_input"`
	Response    jsontext.Value `json:"tool_response"`
	CallID      string         `json:"tool_use_id"`
	Error       jsontext.Value `json:"error"`
	IsInterrupt bool           `json:"is_interrupt"`

	Prompt       jsontext.Value `json:"prompt"`
	Source       string         `json:"source"` // set on SessionStart
	Reason       jsontext.Value `json:"reason"` // set on SessionEnd
	Notification string         `json:"notification_type"`
	Message      jsontext.Value `json:"message"`
	LastMessage  jsontext.Value `json:"last_assistant_message"`
	Details      jsontext.Value `json:"error_details"` // set on StopFailure

	PID      int   `json:"bullpen_pid"`
	PIDStart int64 `json:"bullpen_pid_start"`
}

// parseHook decodes the body of a hook call. It fails if the event or the session is missing.
func parseHook(text []byte, _ bool) (guest.Hook, error) {
	var b body
	mismatched, err := hooked.Decode(text, &b)
	if err != nil {
		return nil, err
	}
	h := &hooked.Hook{
		Event: b.Event, SessionID: b.Session, Sent: b.Sent, Cwd: b.Cwd, Model: guest.Text(b.Model),
		CallID: b.CallID, Call: hooked.Call(b.Tool, b.Input), PID: b.PID, PIDStart: b.PIDStart, Mismatched: mismatched,
	}
	b.fill(h)
	return h.Checked("hook_event_name", "session_id")
}

// fill sets the fields that depend on the event.
func (b *body) fill(h *hooked.Hook) {
	switch b.Event {
	case sessionStart:
		h.Kind, h.Source = hooked.SessionStart, b.Source
	case sessionEnd:
		h.Kind, h.Reason = hooked.SessionEnd, guest.Text(b.Reason)
	case promptSubmit: // also sent, without a prompt, when tool results are sent to the model
		h.Kind, h.Text = hooked.Prompt, guest.Text(b.Prompt)
	case preToolUse:
		h.Kind = hooked.ToolStart
	case postToolUse:
		h.Kind, h.Result = hooked.ToolEnd, func(c hud.Call) hud.Result { return result(c, b.Response) }
	case postToolUseFailure:
		h.Kind, h.Stops = hooked.ToolEnd, b.IsInterrupt
		h.Result = func(c hud.Call) hud.Result { return failure(c, guest.Text(b.Error)) }
	case permissionRequest:
		h.Kind, h.Answers = hooked.Permission, answer
	case notification:
		if b.Notification == "permission_prompt" || b.Notification == "elicitation_dialog" {
			h.Kind, h.Text = hooked.Waiting, guest.Text(b.Message)
		}
	case subagentStart, subagentStop: // the hooks of a sub-agent's calls do not name the sub-agent
		h.Kind = hooked.Working
	case preCompact:
		h.Kind, h.Text = hooked.Working, contracts.LineCompacting
	case postCompact:
		h.Kind = hooked.Working
	case stop:
		h.Kind, h.Text = hooked.TurnEnd, guest.Text(b.LastMessage)
	case stopFailure:
		h.Kind, h.Reason = hooked.TurnFailure, "the model failed: "+cmp.Or(guest.Text(b.Details), guest.Text(b.Error))
	}
}

// answer encodes the answer to a permission request.
func answer(allow bool, message string) []byte {
	type verdict struct {
		Behavior string `json:"behavior"`
		Message  string `json:"message,omitzero"`
	}
	type output struct {
		Event    string  `json:"hookEventName"`
		Decision verdict `json:"decision"`
	}
	v := verdict{Behavior: "deny", Message: message}
	if allow {
		v = verdict{Behavior: "allow"}
	}
	return hud.Value(struct {
		Output output `json:"hookSpecificOutput"`
	}{output{permissionRequest, v}})
}
