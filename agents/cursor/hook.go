package cursor

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
	sessionStart       = "sessionStart"
	sessionEnd         = "sessionEnd"
	beforeSubmitPrompt = "beforeSubmitPrompt"
	preToolUse         = "preToolUse"
	postToolUse        = "postToolUse"
	postToolUseFailure = "postToolUseFailure"
	preCompact         = "preCompact"
	afterAgentResponse = "afterAgentResponse"
	stop               = "stop"
)

// body is the body of one hook call. Unknown members are ignored; members whose type may change
// between versions stay raw.
type body struct {
	Event        string         `json:"hook_event_name"`
	Conversation string         `json:"conversation_id"`
	Session      string         `json:"session_id"` // in session events: the conversation id
	Generation   string         `json:"generation_id"`
	Roots        []string       `json:"workspace_roots"`
	Cwd          string         `json:"cwd"`
	Model        jsontext.Value `json:"model"`

	Tool    string         `json:"tool_name"`
	Input   jsontext.Value `json:"tool_input"`
	Output  jsontext.Value `json:"tool_output"`
	CallID  string         `json:"tool_use_id"`
	Error   jsontext.Value `json:"error_message"`
	Failure string         `json:"failure_type"`
	Stopped bool           `json:"is_interrupt"`

	Prompt jsontext.Value `json:"prompt"`
	Text   jsontext.Value `json:"text"`   // set on afterAgentResponse
	Status string         `json:"status"` // set on stop: completed, aborted or error
	Reason jsontext.Value `json:"reason"` // set on sessionEnd

	PID      int   `json:"bullpen_pid"`
	PIDStart int64 `json:"bullpen_pid_start"`
}

// parseHook decodes the body of a hook call. It fails if the event or the conversation is missing.
func parseHook(text []byte, _ bool) (guest.Hook, error) {
	var b body
	mismatched, err := hooked.Decode(text, &b)
	if err != nil {
		return nil, err
	}
	h := &hooked.Hook{
		Event: b.Event, SessionID: cmp.Or(b.Conversation, b.Session), Turn: b.Generation, Cwd: b.dir(), Model: guest.Text(b.Model),
		CallID: b.CallID, Call: hooked.Call(b.Tool, b.Input), PID: b.PID, PIDStart: b.PIDStart, Mismatched: mismatched,
	}
	b.fill(h)
	return h.Checked("hook_event_name", "conversation_id")
}

// dir returns the conversation's directory: the first folder of the workspace. The directory of a
// command is used only if there is no workspace.
func (b *body) dir() string {
	if len(b.Roots) > 0 {
		return b.Roots[0]
	}
	return b.Cwd
}

// fill sets the fields of h that depend on the event.
func (b *body) fill(h *hooked.Hook) {
	switch b.Event {
	case sessionStart:
		h.Kind = hooked.SessionStart
	case sessionEnd:
		h.Kind, h.Reason = hooked.SessionEnd, guest.Text(b.Reason)
	case beforeSubmitPrompt:
		h.Kind, h.Text = hooked.Prompt, guest.Text(b.Prompt)
	case preToolUse:
		h.Kind = hooked.ToolStart
	case postToolUse:
		h.Kind, h.Result = hooked.ToolEnd, func(c hud.Call) hud.Result { return result(c, b.Output) }
	case postToolUseFailure:
		h.Kind, h.Stops = hooked.ToolEnd, b.Stopped
		reason := cmp.Or(guest.Text(b.Error), b.Failure, "the tool failed")
		h.Result = func(c hud.Call) hud.Result { return hud.FailedCall(c, reason) }
	case preCompact:
		h.Kind, h.Text = hooked.Working, contracts.LineCompacting
	case afterAgentResponse:
		h.Kind, h.Text = hooked.Said, guest.Text(b.Text)
	case stop:
		switch h.Kind = hooked.TurnEnd; b.Status {
		case "aborted":
			h.Kind = hooked.Interrupt
		case "error":
			h.Kind, h.Reason = hooked.TurnFailure, "the turn ended with an error"
		}
	}
}

// result returns the result of a call. A command's exit code is unknown unless its output contains it.
func result(c hud.Call, output jsontext.Value) hud.Result {
	text := guest.Text(output)
	if c.Tool != "exec" {
		return hud.TextResult(c, text)
	}
	var r struct {
		Exit   *int    `json:"exitCode"`
		Stdout *string `json:"stdout"`
		Output *string `json:"output"`
	}
	_, _ = hud.Decode(jsontext.Value(text), &r) // text in any other shape is the output itself
	if shown := cmp.Or(r.Stdout, r.Output); shown != nil {
		text = *shown
	}
	return hooked.Executed(c, text, r.Exit)
}
