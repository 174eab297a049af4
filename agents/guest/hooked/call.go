package hooked

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
)

// Call returns a program's call with the office's names for the tool and its arguments. If the
// tool's name is empty, Call returns the zero value.
func Call(tool string, input jsontext.Value) hud.Call {
	if tool = guest.Name(tool); tool == "" {
		return hud.Call{}
	}
	return hud.Canonical(hud.Call{Tool: tool, Args: input})
}

// Argument returns an argument of a call as text, or "" if the call does not have it.
func Argument(c hud.Call, name string) string {
	var args map[string]jsontext.Value
	_ = json.Unmarshal(c.Args, &args, hud.Lenient) // arguments with another shape lack this member
	return guest.Text(args[name])
}

// Executed returns the result of a command. A nil exit means that the exit code is unknown.
func Executed(c hud.Call, output string, exit *int) hud.Result {
	if exit == nil {
		r := hud.Exec(Argument(c, "command"), -1, output, "")
		r.OK = true
		return r
	}
	return hud.Exec(Argument(c, "command"), *exit, output, "")
}

func (s *Session) shown(c hud.Call) contracts.HUD {
	return hud.ToolStart(s.Source, "", hud.Span{}, c)
}

// toolStart reports the start of a call and returns its label.
func (s *Session) toolStart(t *guest.Updates, c hud.Call, id string, at int64) (label string) {
	h := hud.ToolStart(s.Source, s.UUID(contracts.HUDToolStart, id), hud.Span{Correlation: id, Parent: s.turn}, c)
	s.AddFact(t, h, nil, at)
	return h.Label
}

// toolEnd reports the end of a call. A call whose start was not reported is recorded as starting
// and ending at the same time.
func (s *Session) toolEnd(t *guest.Updates, h *Hook, at int64) {
	s.ensureTurn(t, h, at)
	id := h.CallID
	if id == "" {
		id = s.openCall(h.Call)
	}
	if id == "" {
		id = s.id("call", h, at)
	}
	s.toolStart(t, h.Call, id, at)
	turn, from := s.turn, at
	if o, ok := s.Open[id]; ok {
		turn, from = o.HUD.ParentID, o.At
	}
	end, whole := hud.ToolEnd(s.Source, s.UUID(contracts.HUDToolEnd, id), hud.Span{Correlation: id, Parent: turn}, h.Call, h.Result(h.Call), guest.Elapsed(from, at))
	s.AddFact(t, end, whole, at)
	t.EndedCalls = append(t.EndedCalls, id)
	s.addEvidence(t, status.ToolEnded, h, at, id, "")
	if h.Stops {
		s.end(t, at, interrupted, "")
		s.addEvidence(t, status.Interrupted, h, at, "", "")
	}
}

// openCall returns the id of the open call that matches a call without an id: the oldest open call
// with the same tool and input. A program may change the input, so if there is no such call and only
// one open call has the same tool, that call matches. Otherwise openCall returns "".
func (s *Session) openCall(c hud.Call) string {
	want, args := s.shown(c), ordered(s.shown(c).Args)
	same, only, n := "", "", 0
	for _, o := range s.Opened() {
		if o.HUD.Event != contracts.HUDToolStart || o.HUD.Tool != want.Tool {
			continue
		}
		if same == "" && ordered(o.HUD.Args) == args {
			same = o.HUD.CorrelationID
		}
		only = o.HUD.CorrelationID
		n++
	}
	if same == "" && n == 1 {
		return only
	}
	return same
}

// ordered returns a value as text with its members in a fixed order.
func ordered(v jsontext.Value) string {
	c := v.Clone()
	if c.Canonicalize() != nil {
		return string(v)
	}
	return string(c)
}

// askID returns the id of the call that a permission request is about: the vendor's id, the id of
// an open call with the same tool and input, or a derived id if the call has not started.
func (s *Session) askID(h *Hook, at int64) string {
	if h.CallID != "" {
		return h.CallID
	}
	if id := s.openCall(h.Call); id != "" {
		return id
	}
	return s.id("ask", h, at)
}

// Asks returns the question to record for a permission request. The request must already have been
// passed to Hook.
func (s *Session) Asks(hook guest.Hook, expiresAt int64) []contracts.AskSeen {
	h := hook.(*Hook)
	shown := s.shown(h.Call)
	p := &contracts.Permission{Tool: shown.Tool, Args: h.Call.Args, Label: shown.Label, CallID: h.CallID, Place: s.profile.Place}
	where := ""
	if p.Place != "" {
		where = " in " + p.Place
	}
	wants := "use " + shown.Label
	if h.Call.Tool == "exec" {
		wants = "run: " + Argument(h.Call, "command")
	}
	return []contracts.AskSeen{hud.PrepareAsk(contracts.AskSeen{
		AgentID: s.Source.AgentID, Kind: contracts.DecisionPermission, Options: []string{contracts.OptionAllow, contracts.OptionDeny}, ExpiresAt: expiresAt,
		Permission: p, Dir: s.Source.Roots.Work, Home: s.cfg.Home, Prompt: s.label + where + " wants to " + wants,
	})}
}
