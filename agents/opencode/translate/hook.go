// Package translate translates the events that OpenCode's plugin sends into facts and evidence. It
// is pure.
package translate

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/agents/guest/hooked"
	"github.com/bullpen-office/bullpen/hud"
)

// Source is this adapter's name in guest profiles and ids; Label is the name shown for OpenCode.
const (
	Source = "opencode"
	Label  = "OpenCode"
)

// survey is an event that the plugin itself creates. It contains the status that OpenCode's server
// reports for a busy session that has sent no events for a while.
const survey = "survey"

// Hook is a decoded event.
type Hook struct {
	hooked.Hook
	p properties
}

// body is the JSON object that the plugin sends. Properties contains the properties of OpenCode's
// event.
type body struct {
	Event      string     `json:"hook_event_name"`
	ID         string     `json:"event_id"`
	Session    string     `json:"session_id"`
	Cwd        string     `json:"cwd"`
	Properties properties `json:"properties"`

	PID      int   `json:"bullpen_pid"`
	PIDStart int64 `json:"bullpen_pid_start"`
}

// properties contains the fields of all events that this package reads.
type properties struct {
	Info   info           `json:"info"`   // set on session.created and message.updated
	Part   part           `json:"part"`   // set on message.part.updated
	Status status         `json:"status"` // set on session.status
	Error  failure        `json:"error"`  // set on session.error
	Kind   string         `json:"permission"`
	Meta   jsontext.Value `json:"metadata"`
	Tool   toolRef        `json:"tool"`

	ID      string `json:"id"`        // set on permission.asked
	Request string `json:"requestID"` // set on permission.replied

	Patterns  []string   `json:"patterns"`
	Questions []question `json:"questions"`
}

type (
	info struct {
		ID        string `json:"id"`
		Role      string `json:"role"`
		Directory string `json:"directory"`
		Model     string `json:"modelID"`
		Uses      struct {
			Model string `json:"modelID"`
		} `json:"model"`
	}
	part struct {
		ID        string         `json:"id"`
		Type      string         `json:"type"`
		Message   string         `json:"messageID"`
		Text      jsontext.Value `json:"text"`
		Synthetic bool           `json:"synthetic"` // true for text that OpenCode added to a prompt
		Tool      string         `json:"tool"`
		CallID    string         `json:"callID"`
		State     state          `json:"state"`
		Tokens    *tokens        `json:"tokens"` // set on step-finish
		Cost      float64        `json:"cost"`
	}
	state struct {
		Status string         `json:"status"`
		Input  jsontext.Value `json:"input"`
		Output jsontext.Value `json:"output"`
		Error  jsontext.Value `json:"error"`
		Meta   struct {
			Exit *int `json:"exit"`
		} `json:"metadata"`
	}
	tokens struct {
		In        float64 `json:"input"`
		Out       float64 `json:"output"`
		Reasoning float64 `json:"reasoning"`
		Cache     struct {
			Read  float64 `json:"read"`
			Write float64 `json:"write"`
		} `json:"cache"`
	}
	status struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}
	failure struct {
		Name string `json:"name"`
		Data struct {
			Message string `json:"message"`
		} `json:"data"`
	}
	toolRef struct {
		CallID string `json:"callID"`
	}
	question struct {
		Question string `json:"question"`
	}
)

// ParseHook decodes an event. It fails if the event's name or session is missing.
func ParseHook(text []byte) (*Hook, error) {
	var b body
	mismatched, err := hooked.Decode(text, &b)
	if err != nil {
		return nil, err
	}
	p := &b.Properties
	p.Part.CallID, p.Part.Message, p.Tool.CallID, p.Info.ID = guest.Name(p.Part.CallID), guest.Name(p.Part.Message), guest.Name(p.Tool.CallID), guest.Name(p.Info.ID)
	h := &Hook{p: *p, Hook: hooked.Hook{
		Event: b.Event, SessionID: b.Session, Sent: guest.Name(b.ID),
		Cwd: b.Cwd, Model: cmp.Or(p.Info.Model, p.Info.Uses.Model), PID: b.PID, PIDStart: b.PIDStart, Mismatched: mismatched,
	}}
	if _, err := h.Checked("hook_event_name", "session_id"); err != nil {
		return nil, err
	}
	h.fill()
	return h, nil
}

// fill sets the fields that do not depend on earlier events. An unknown event shows only that the
// agent is present.
func (h *Hook) fill() {
	p := &h.p
	switch h.Event {
	case "session.created":
		h.Kind, h.Source = hooked.SessionStart, "new"
	case "session.deleted":
		h.Kind, h.Reason = hooked.SessionEnd, "deleted"
	case "session.idle":
		h.Kind = hooked.TurnEnd
	case "session.error":
		if h.Kind = hooked.Interrupt; p.Error.Name != "MessageAbortedError" {
			h.Kind, h.Reason = hooked.TurnFailure, cmp.Or(p.Error.Data.Message, p.Error.Name)
		}
	case "session.status":
		if p.Status.Type != "idle" { // session.idle follows
			h.Kind, h.Text, h.KeepsQuestions = hooked.Working, p.Status.Message, true
		}
	case "message.part.updated":
		h.fillPart()
	case "PermissionRequest":
		h.Kind, h.CallID, h.Call, h.Answers = hooked.Permission, p.Tool.CallID, p.requestedCall(), answer
	case "permission.replied":
		h.Kind = hooked.Working
	case "question.replied", "question.rejected":
		h.Kind, h.Replied = hooked.Working, guest.Notice
	case "question.asked":
		if h.Kind = hooked.Waiting; len(p.Questions) > 0 {
			h.Text = p.Questions[0].Question
		}
	}
}

func (h *Hook) fillPart() {
	part := &h.p.Part
	if part.Type != "tool" {
		return
	}
	h.CallID, h.Call = part.CallID, hooked.Call(guest.Name(part.Tool), part.State.Input)
	switch part.State.Status {
	case "running":
		h.Kind, h.KeepsQuestions = hooked.ToolStart, true // OpenCode may report the start after the permission request
	case "completed", "error":
		h.Kind, h.Result = hooked.ToolEnd, part.State.result
	}
}

func (s *state) result(c hud.Call) hud.Result {
	output := guest.Text(s.Output)
	switch {
	case s.Status == "error":
		return hud.FailedCall(c, cmp.Or(guest.Text(s.Error), "the tool failed"))
	case c.Tool == "exec":
		return hooked.Executed(c, output, s.Meta.Exit)
	}
	return hud.TextResult(c, output)
}

// requestedCall returns the call that a permission request is about. Its arguments are the request's
// own metadata or, if there is none, the pattern that a rule would match.
func (p *properties) requestedCall() hud.Call {
	args := p.Meta
	if args.Kind() != '{' || string(args) == "{}" {
		args = hud.Value(map[string][]string{"patterns": p.Patterns})
	}
	return hooked.Call(guest.Name(p.Kind), args)
}

// answer encodes a person's verdict for the plugin. OpenCode does not accept a reason.
func answer(allow bool, _ string) []byte {
	reply := "reject"
	if allow {
		reply = "once"
	}
	return hud.Value(map[string]string{"reply": reply})
}
