package translate

import (
	"math"
	"time"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// call is one tool call in a hook or a transcript. In a transcript, the end of a call lacks the
// tool's name; the name is taken from the start.
type call struct {
	id    string
	tool  string
	input jsontext.Value
	turn  string
	at    int64
	took  time.Duration
}

func (s *Session) toolStart(t *Updates, c call) (label string) {
	if c.id == "" {
		return ""
	}
	h := hud.ToolStart(s.Source, s.UUID(contracts.HUDToolStart, c.id), hud.Span{Correlation: c.id, Parent: c.turn}, officeCall(c.tool, c.input))
	s.AddFact(t, h, nil, c.at)
	return h.Label
}

func (s *Session) toolEnd(t *Updates, c call, out outcome) {
	if c.id == "" {
		return
	}
	t.EndedCalls = append(t.EndedCalls, c.id)
	id := s.UUID(contracts.HUDToolEnd, c.id)
	if s.Reported(contracts.HUDToolEnd, c.id) {
		return
	}
	given := officeCall(c.tool, c.input)
	if o, ok := s.Open[c.id]; ok {
		if c.tool == "" {
			given = hud.Call{Tool: o.HUD.Tool, Args: o.HUD.Args}
		}
		c.turn = o.HUD.ParentID // the turn that started the call, even if another turn is current now
		if c.took == 0 {
			c.took = guest.Elapsed(o.At, c.at)
		}
	}
	end, whole := hud.ToolEnd(s.Source, id, hud.Span{Correlation: c.id, Parent: c.turn}, given, result(given, out), c.took)
	s.AddFact(t, end, whole, c.at)
	s.endIfCallsEnded(t)
}

// officeCall returns a call with the office's name for the tool: sessions_spawn for a sub-agent,
// unknown if the name is missing, and otherwise the name that hud.Canonical returns.
func officeCall(tool string, input jsontext.Value) hud.Call {
	switch tool {
	case "":
		return hud.Call{Tool: "unknown", Args: input}
	case "Agent", "Task":
		var in struct {
			Description string `json:"description"`
			Prompt      string `json:"prompt"`
			Type        string `json:"subagent_type"`
		}
		if json.Unmarshal(input, &in, hud.Lenient) != nil {
			break
		}
		return hud.Call{Tool: "sessions_spawn", Args: hud.Value(struct {
			Action string `json:"action"`
			Agent  string `json:"agent,omitzero"`
			Prompt string `json:"prompt,omitzero"`
		}{in.Description, in.Type, in.Prompt})}
	}
	return hud.Canonical(hud.Call{Tool: tool, Args: input})
}

// CallIDOf returns the id of the call that a permission request is about. If the request has no call
// id, CallIDOf returns the id of the newest open call with the same input, or "" if there is none.
func (s *Session) CallIDOf(h *Hook) string {
	if h.CallID != "" {
		return h.CallID
	}
	want := hud.ToolStart(s.Source, "", hud.Span{}, officeCall(h.Tool, h.Input))
	args := ordered(want.Args)
	found := guest.Started{}
	for id, o := range s.Open {
		same := o.HUD.Event == contracts.HUDToolStart && o.HUD.Tool == want.Tool && ordered(o.HUD.Args) == args
		if same && (found.HUD.CorrelationID == "" || o.At > found.At || o.At == found.At && id > found.HUD.CorrelationID) {
			found = o
		}
	}
	return found.HUD.CorrelationID
}

// ordered returns a value as text with its members in a fixed order, because hooks and transcript
// rows order the same input differently.
func ordered(v jsontext.Value) string {
	c := v.Clone()
	if c.Canonicalize() != nil {
		return string(v)
	}
	return string(c)
}

// milliseconds converts an untrusted number of milliseconds to a duration; 0 if ms is not positive.
func milliseconds(ms float64) time.Duration {
	if math.IsNaN(ms) || ms <= 0 {
		return 0
	}
	return time.Duration(min(ms, float64(math.MaxInt64/int64(time.Millisecond))/2)) * time.Millisecond
}
