package guest

import (
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
)

// State is the state of a session as reported by the vendor's program.
type State string

// States of a session.
const (
	StateBusy    State = "busy"
	StateBlocked State = "waiting" // a person is needed
	StateIdle    State = "idle"
)

// stateClaims maps states to claims; other states are ignored.
var stateClaims = map[State]status.Claim{StateBusy: status.Busy, StateBlocked: status.Blocked, StateIdle: status.TurnEnded}

// Report is a vendor program's report about one of its sessions.
type Report struct {
	Session string
	State   State
	Program string // the command that printed the report
	Detail  string // what the session is waiting for; may be empty
}

// Evidence returns the report as evidence. The evidence carries the time when the program was
// asked, because the session may have continued while the program was answering. ok is false if the
// state is unknown.
func (r Report) Evidence(asked int64) (e status.Evidence, ok bool) {
	claim, ok := stateClaims[r.State]
	e = status.Evidence{Source: contracts.FromProgram, Claim: claim, Says: r.Program + ": " + string(r.State), At: asked}
	if r.State == StateBlocked && r.Detail != "" {
		e.Line = "Waiting in its terminal: " + r.Detail
	}
	return e, ok
}
