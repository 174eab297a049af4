package translate

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// officeCall returns a call with the office's tool names; a missing name becomes "unknown".
func officeCall(tool string, input jsontext.Value) hud.Call {
	if tool == "" {
		tool = "unknown"
	}
	return hud.Canonical(hud.Call{Tool: tool, Args: input})
}

// Asks returns the decision that a permission request needs.
func (s *Session) Asks(hook guest.Hook, expiresAt int64) []contracts.AskSeen {
	h := hook.(*Hook)
	call := officeCall(h.Tool, h.Input)
	shown := hud.ToolStart(s.Source, "", hud.Span{}, call)
	p := &contracts.Permission{Tool: shown.Tool, Args: call.Args, Label: shown.Label, CallID: s.callIDOf(h), Place: s.profile.Place}
	return []contracts.AskSeen{hud.PrepareAsk(contracts.AskSeen{
		AgentID: s.Source.AgentID, Kind: contracts.DecisionPermission, Options: []string{contracts.OptionAllow, contracts.OptionDeny}, ExpiresAt: expiresAt,
		Permission: p, Dir: s.Source.Roots.Work, Home: s.cfg.Home, Prompt: Label + where(p.Place) + " wants to " + DescribeCall(shown.Label, call),
	})}
}

func where(place string) string {
	if place == "" {
		return ""
	}
	return " in " + place
}

// DescribeCall describes what a call would do, for example "run: make".
func DescribeCall(label string, call hud.Call) string {
	if call.Tool == "exec" {
		return "run: " + argument(call, "command")
	}
	return "use " + label
}

// callIDOf returns the id of the call that a permission request is about. If Codex does not name the
// call, callIDOf chooses the newest open call of the same turn whose command contains the requested
// command. The commands need not be equal, because the command that applies a patch contains more
// than the patch.
func (s *Session) callIDOf(h *Hook) string {
	if h.CallID != "" {
		return h.CallID
	}
	command := argument(officeCall(h.Tool, h.Input), "command")
	var found guest.Started
	for id, o := range s.Open {
		if o.HUD.Event != contracts.HUDToolStart || h.Turn != "" && o.HUD.ParentID != h.Turn {
			continue
		}
		given := argument(hud.Call{Args: o.HUD.Args}, "command")
		same := command != "" && strings.Contains(given, command)
		if same && (found.HUD.CorrelationID == "" || o.At > found.At || o.At == found.At && id > found.HUD.CorrelationID) {
			found = o
		}
	}
	return found.HUD.CorrelationID
}
