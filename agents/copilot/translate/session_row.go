package translate

import (
	"cmp"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/agents/guest/hooked"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
)

// Row handles a line of the session file and returns everything to report.
func (s *Session) Row(row guest.Row) (t guest.Updates) {
	r := row.(*Row)
	s.hasFile = true
	at := cmp.Or(r.at, s.at)
	s.at = max(s.at, at)
	if r.Data.Interaction != "" && !r.fromSubagent() {
		s.turn = r.Data.Interaction
	}
	if r.Type == "session.usage_record" {
		s.used(&t, r, at)
		return t
	}
	h := hooked.Hook{Event: r.Type, SessionID: s.id, Turn: s.turn, Cwd: r.Data.Context.Cwd, Model: cmp.Or(r.Data.NewModel, r.Data.Model)}
	s.describe(&h, r)
	t = s.Session.Hook(&h, at)
	for i := range t.Evidence {
		t.Evidence[i].Source = contracts.FromTranscript
	}
	if r.Type == "session.shutdown" {
		t.Evidence = append(t.Evidence, status.Evidence{Source: contracts.FromTranscript, Claim: status.Ended, At: at, Says: r.Type})
	}
	return t
}

// describe fills in h from a line. A line of an unknown kind shows only that the agent is present.
func (s *Session) describe(h *hooked.Hook, r *Row) {
	d := &r.Data
	switch r.Type {
	case "user.message":
		h.Kind = hooked.Working
		if !r.fromSubagent() && (d.Source == "" || d.Source == "user") {
			h.Kind, h.Text, s.final = hooked.Prompt, guest.Text(d.Content), false
		}
	case "assistant.turn_start":
		h.Kind = hooked.Working
	case "assistant.message":
		h.Kind = hooked.Working
		if !r.fromSubagent() {
			s.said, s.final = guest.Text(d.Content), len(d.Requests) == 0
		}
	case "assistant.turn_end": // the end of one response; the last response ends the turn
		h.Kind = hooked.Working
		if s.final && !r.fromSubagent() {
			h.Kind, h.Text, s.final = hooked.TurnEnd, s.said, false
		}
	case "tool.execution_start":
		h.Kind, h.CallID, h.Call = hooked.ToolStart, d.CallID, hooked.Call(d.Tool, d.Args)
	case "tool.execution_complete":
		s.describeEnd(h, d)
	case "permission.requested":
		h.Kind, h.Text = hooked.Waiting, d.Request.Intention
	case "permission.completed":
		h.Kind = hooked.Working
	case "abort":
		h.Kind = hooked.Interrupt
	case "session.error":
		h.Kind, h.Reason = hooked.TurnFailure, guest.Text(d.Message)
	case "session.shutdown":
		if _, open := s.Open[s.turn]; open {
			h.Kind, h.Reason = hooked.TurnFailure, ended
		}
	}
}

// describeEnd describes the end of a call. The line has no name and no arguments, so if the start
// is unknown, the line only shows that the agent is working.
func (s *Session) describeEnd(h *hooked.Hook, d *data) {
	h.Kind = hooked.Working
	o, open := s.Open[d.CallID]
	if !open {
		return
	}
	h.Kind, h.CallID, h.Call = hooked.ToolEnd, d.CallID, hud.Call{Tool: o.HUD.Tool, Args: o.HUD.Args}
	h.Result = func(c hud.Call) hud.Result {
		failure := message(d.Error)
		switch {
		case failure != "":
			return hud.FailedCall(c, failure)
		case d.Success != nil && !*d.Success && d.Shell.Exit == nil:
			return hud.Failed(result(c, guest.Text(d.Result.Content), nil), "the tool failed")
		}
		return result(c, guest.Text(d.Result.Content), d.Shell.Exit)
	}
}
