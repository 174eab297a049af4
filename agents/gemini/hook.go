package gemini

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/agents/guest/hooked"
	"github.com/bullpen-office/bullpen/hud"
)

// The events that hooks report.
const (
	sessionStart = "SessionStart"
	sessionEnd   = "SessionEnd"
	beforeAgent  = "BeforeAgent"
	afterAgent   = "AfterAgent"
	beforeTool   = "BeforeTool"
	afterTool    = "AfterTool"
	notification = "Notification"
	preCompress  = "PreCompress"
)

// body is the body of one hook call. Unknown members are ignored; members whose type may change
// between versions stay raw.
type body struct {
	Event   string `json:"hook_event_name"`
	Session string `json:"session_id"`
	Sent    string `json:"timestamp"`
	Cwd     string `json:"cwd"`

	Tool     string         `json:"tool_name"` // the tool's name; Gemini CLI gives calls no id
	Input    jsontext.Value `json:"tool_input"`
	Response jsontext.Value `json:"tool_response"`

	Prompt         jsontext.Value `json:"prompt"`
	PromptResponse jsontext.Value `json:"prompt_response"` // set on AfterAgent
	Source         string         `json:"source"`          // set on SessionStart
	Reason         jsontext.Value `json:"reason"`          // set on SessionEnd
	Notification   string         `json:"notification_type"`
	Message        jsontext.Value `json:"message"`

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
		Event: b.Event, SessionID: b.Session, Sent: b.Sent, Cwd: b.Cwd,
		Call: hooked.Call(b.Tool, b.Input), PID: b.PID, PIDStart: b.PIDStart, Mismatched: mismatched,
	}
	switch b.Event {
	case sessionStart:
		h.Kind, h.Source = hooked.SessionStart, b.Source
	case sessionEnd:
		h.Kind, h.Reason = hooked.SessionEnd, guest.Text(b.Reason)
	case beforeAgent:
		h.Kind, h.Text = hooked.Prompt, guest.Text(b.Prompt)
	case afterAgent:
		h.Kind, h.Text = hooked.TurnEnd, guest.Text(b.PromptResponse)
	case beforeTool:
		h.Kind = hooked.ToolStart
	case afterTool:
		h.Kind, h.Result = hooked.ToolEnd, func(c hud.Call) hud.Result { return result(c, b.Response) }
		h.Stops = strings.HasPrefix(output(b.Response), stopped)
	case notification:
		if b.Notification == "ToolPermission" {
			h.Kind, h.Text = hooked.Waiting, guest.Text(b.Message)
		}
	case preCompress: // sent before each request to the model, whether the conversation is compressed or not
		h.Kind = hooked.Working
	}
	return h.Checked("hook_event_name", "session_id")
}
