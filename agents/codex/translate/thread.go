package translate

import (
	"slices"

	"github.com/bullpen-office/bullpen/agents/guest"
)

// Thread is a thread as the app-server describes it.
type Thread struct {
	ID      string       `json:"id"`
	Session string       `json:"sessionId"`      // the thread that a person started
	Parent  string       `json:"parentThreadId"` // set for a sub-agent
	Cwd     string       `json:"cwd"`
	Status  ThreadStatus `json:"status"`
}

// ThreadStatus describes what a thread is doing.
type ThreadStatus struct {
	Type  string   `json:"type"`
	Flags []string `json:"activeFlags"`
}

// waitsForApproval is the flag of a thread that is waiting for approval.
const waitsForApproval = "waitingOnApproval"

// WaitsForApproval reports whether a person must approve something.
func (s ThreadStatus) WaitsForApproval() bool {
	return s.Type == "active" && slices.Contains(s.Flags, waitsForApproval)
}

// waits maps the flags of an active thread to what the thread is waiting for.
var waits = map[string]string{waitsForApproval: "an approval", "waitingOnUserInput": "an answer"}

// Report returns the state of a thread; ok is false for sub-agents and for unknown states.
func (t *Thread) Report() (r guest.Report, ok bool) {
	r = guest.Report{Session: guest.Name(t.ID), Program: "codex app-server"}
	switch t.Status.Type {
	case "idle":
		r.State = guest.StateIdle
	case "active":
		r.State = guest.StateBusy
		if i := slices.IndexFunc(t.Status.Flags, func(flag string) bool { return waits[flag] != "" }); i >= 0 {
			r.State, r.Detail = guest.StateBlocked, waits[t.Status.Flags[i]]
		}
	}
	return r, r.State != "" && r.Session != "" && t.Parent == ""
}
