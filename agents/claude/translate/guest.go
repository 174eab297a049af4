package translate

import (
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
)

// Guest adapts a Session to guest.Session. It accepts only this package's types: *Hook, *Row and
// Live.
type Guest struct{ *Session }

// NewGuest returns a new Session as a guest.Session.
func NewGuest(id, agent string, cfg guest.Config) guest.Session {
	return Guest{NewSession(id, agent, cfg)}
}

// Hook handles h, which must be a *Hook.
func (g Guest) Hook(h guest.Hook, at int64) Updates { return g.Session.Hook(h.(*Hook), at) }

// Asks returns the decisions that a hook needs; h must be a *Hook.
func (g Guest) Asks(h guest.Hook, expiresAt int64) []contracts.AskSeen {
	return g.Session.Asks(h.(*Hook), expiresAt)
}

// Row handles r, which must be a *Row.
func (g Guest) Row(r guest.Row) Updates { return g.Session.Row(r.(*Row)) }

// Live handles l, which must be a Live.
func (g Guest) Live(l guest.Live) Updates { return g.Session.Live(l.(Live)) }

// endsQuestions lists the hooks that end an agent's open questions: once Claude Code has sent one
// of these hooks, it is no longer waiting for an answer.
var endsQuestions = map[string]bool{"UserPromptSubmit": true, "Stop": true, "StopFailure": true, "SubagentStop": true, "SessionEnd": true}

// Head returns the fields that all vendors' hooks have in common. Helpers that Claude Code runs for
// itself have an id, but no type and no SubagentStart hook, so their hooks are marked as internal.
func (h *Hook) Head() guest.HookHead {
	return guest.HookHead{
		Event: h.Event, Session: h.Session, Agent: h.AgentID, Tool: h.Tool, PID: h.PID, PIDStart: h.PIDStart, Mismatched: h.Mismatched,
		Asks:      h.Event == "PermissionRequest" && h.Answerable(),
		Continued: endsQuestions[h.Event],
		Internal:  h.AgentType == "" || h.Event == "SubagentStop",
	}
}

// Head returns the members that the lines of all vendors' files have in common.
func (r *Row) Head() guest.RowHead {
	return guest.RowHead{Kind: r.Type, At: r.At, Cwd: r.Cwd, Mismatched: r.Mismatched}
}

// Clamp caps the time at now.
func (r *Row) Clamp(now int64) { r.At = min(r.At, now) }

// Head returns the session that the process is running.
func (l Live) Head() guest.LiveHead {
	return guest.LiveHead{Session: l.Session, Cwd: l.Cwd, PID: l.PID, Started: l.Started()}
}
