package translate

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Answers to an approval request. Cancel also ends the turn.
const (
	Accept  = "accept"
	Decline = "decline"
	Cancel  = "cancel"
)

// CommandHook returns a thread's request to approve a command, as a hook. ok is false if the
// request is about something else. It is also false if the request cannot be read completely,
// because a person must not agree to something that is not shown.
func (t *Thread) CommandHook(params jsontext.Value) (h *Hook, ok bool) {
	var more struct {
		Turn    string         `json:"turnId"`
		Kind    string         `json:"kind"`
		Network jsontext.Value `json:"networkApprovalContext"`
		Grants  jsontext.Value `json:"additionalPermissions"`
	}
	a, err := ReadApproval(params)
	mismatched, undecoded := hud.Decode(params, &more)
	command := Command(a.Command)
	if err != nil || undecoded != nil || len(mismatched) > 0 || command == "" || more.Kind != "" && more.Kind != "command" || more.Network.Kind() == '{' || more.Grants.Kind() == '{' {
		return nil, false
	}
	input := map[string]string{"command": command}
	if a.Cwd != "" && a.Cwd != t.Cwd { // no rule covers this argument, so a person is always asked
		input["directory"] = a.Cwd
	}
	h = &Hook{Event: permissionRequest, Session: guest.Name(t.ID), Turn: guest.Name(more.Turn), Cwd: t.Cwd, Tool: "exec", Input: hud.Value(input), CallID: a.Item}
	if t.Parent != "" {
		h.Session, h.Agent = guest.Name(t.Session), guest.Name(t.ID)
	}
	return h, h.Session != ""
}

// Verdict returns the answer to a request for approval; ok is false if the decisions do not answer it.
func Verdict(decisions []contracts.Decision) (answer string, ok bool) {
	if len(decisions) != 1 || decisions[0].Status != contracts.DecisionResolved {
		return "", false
	}
	switch decisions[0].Choice {
	case contracts.OptionAllow:
		return Accept, true
	case contracts.OptionDeny:
		return Decline, true
	}
	return "", false // not one of our options: never allow by mistake
}
