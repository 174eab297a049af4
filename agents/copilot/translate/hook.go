// Package translate translates Copilot CLI's hooks and session files into facts and evidence.
//
// A session's file contains everything: ids, results, exit codes, answers, interruptions and
// usage. Hooks arrive earlier and wait for answers to permission requests, but have no ids. Calls
// and turns are therefore recorded from the file; hooks show what is happening now. Without the
// file, everything that hooks report is recorded.
//
// The package is pure.
package translate

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/agents/guest/hooked"
	"github.com/bullpen-office/bullpen/hud"
)

// Source is this adapter's name in guest profiles and ids; Label is the name shown for Copilot CLI.
const (
	Source = "copilot"
	Label  = "Copilot CLI"
)

// Hook is a decoded hook from Copilot CLI.
type Hook struct {
	hooked.Hook
	HasFile bool // the session writes a file that the office reads
}

// body is the body of a hook. Permission requests use Copilot CLI's own names for the members;
// other hooks use Claude Code's names.
type body struct {
	Event      string         `json:"hook_event_name"`
	OwnEvent   string         `json:"hookName"`
	Session    string         `json:"session_id"`
	OwnSession string         `json:"sessionId"`
	Timestamp  jsontext.Value `json:"timestamp"`
	Cwd        string         `json:"cwd"`

	Tool     string         `json:"tool_name"`
	OwnTool  string         `json:"toolName"`
	Input    jsontext.Value `json:"tool_input"`
	OwnInput jsontext.Value `json:"toolInput"`
	Result   toolResult     `json:"tool_result"`
	Error    jsontext.Value `json:"error"`

	Prompt       jsontext.Value `json:"prompt"`
	Source       string         `json:"source"`
	Reason       jsontext.Value `json:"reason"`
	Message      jsontext.Value `json:"message"`
	Notification string         `json:"notification_type"`

	PID      int   `json:"bullpen_pid"`
	PIDStart int64 `json:"bullpen_pid_start"`
}

type toolResult struct {
	Type string         `json:"result_type"`
	Text jsontext.Value `json:"text_result_for_llm"`
}

// ParseHook decodes the body of a hook. It fails if the event or the session is missing.
func ParseHook(text []byte) (*Hook, error) {
	var b body
	mismatched, err := hooked.Decode(text, &b)
	if err != nil {
		return nil, err
	}
	h := &Hook{Hook: hooked.Hook{
		Event: cmp.Or(b.Event, b.OwnEvent), SessionID: cmp.Or(b.Session, b.OwnSession), Sent: guest.Text(b.Timestamp),
		Cwd: b.Cwd, PID: b.PID, PIDStart: b.PIDStart, Mismatched: mismatched,
	}}
	if _, err := h.Checked("hook_event_name", "session_id"); err != nil {
		return nil, err
	}
	b.fill(h)
	return h, nil
}

// fill sets the members that depend on the event. An unknown event shows only that the agent is
// present.
func (b *body) fill(h *Hook) {
	switch h.Event {
	case "SessionStart":
		h.Kind, h.Source = hooked.SessionStart, b.Source
	case "SessionEnd":
		h.Kind, h.Reason = hooked.SessionEnd, guest.Text(b.Reason)
	case "UserPromptSubmit":
		h.Kind, h.Text = hooked.Prompt, guest.Text(b.Prompt)
	case "PreToolUse":
		h.Kind, h.Call = hooked.ToolStart, b.call()
	case "PostToolUse", "PostToolUseFailure":
		h.Kind, h.Call, h.Result = hooked.ToolEnd, b.call(), b.outcome
	case "permissionRequest", "PermissionRequest":
		h.Kind, h.Call, h.Answers = hooked.Permission, b.call(), answer
	case "Notification":
		if b.Notification == "permission_prompt" || b.Notification == "elicitation_dialog" {
			h.Kind, h.Text = hooked.Waiting, guest.Text(b.Message)
		}
	case "ErrorOccurred":
		h.Kind, h.Text = hooked.Working, message(b.Error)
	case "Stop":
		h.Kind = hooked.TurnEnd
	}
}

// call returns the tool call of a hook. A permission request for a file contains the changes to the
// file instead of the call's arguments.
func (b *body) call() hud.Call {
	input := b.Input
	if len(input) == 0 {
		input = b.OwnInput
	}
	return hooked.Call(guest.Name(cmp.Or(b.Tool, b.OwnTool)), input)
}

// answer encodes a person's verdict.
func answer(allow bool, message string) []byte {
	type verdict struct {
		Behavior string `json:"behavior"`
		Message  string `json:"message,omitzero"`
	}
	if allow {
		return hud.Value(verdict{Behavior: "allow"})
	}
	return hud.Value(verdict{"deny", message})
}

func (b *body) outcome(c hud.Call) hud.Result {
	if failure := message(b.Error); failure != "" {
		return hud.FailedCall(c, failure)
	}
	r := result(c, guest.Text(b.Result.Text), nil)
	if b.Result.Type != "" && b.Result.Type != "success" {
		return hud.Failed(r, guest.Name(b.Result.Type))
	}
	return r
}

// exitLine matches the last line of a command's output, which contains the exit code.
var exitLine = regexp.MustCompile(`\n?<shellId: \S+ completed with exit code (-?\d{1,9})>\s*$`)

// result converts the text returned by a call into a hud.Result. If exit is nil, the exit code of a
// command is read from the text.
func result(c hud.Call, text string, exit *int) hud.Result {
	if c.Tool != "exec" {
		return hud.TextResult(c, text)
	}
	if m := exitLine.FindStringSubmatchIndex(text); m != nil {
		if code, err := strconv.Atoi(text[m[2]:m[3]]); err == nil && exit == nil {
			exit = &code
		}
		text = text[:m[0]]
	}
	return hooked.Executed(c, strings.TrimPrefix(text, "\n"), exit)
}

// message returns the text of an error, which is a string or an object with a message.
func message(v jsontext.Value) string {
	if v.Kind() != '{' {
		return guest.Text(v)
	}
	var e struct {
		Message string `json:"message"`
	}
	_, _ = hud.Decode(v, &e) // an error with another shape has no message
	return cmp.Or(e.Message, string(v))
}
