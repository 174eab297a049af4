package translate

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// AgentsCommand holds the arguments that make Claude Code print its active sessions.
var AgentsCommand = []string{"agents", "--json"}

// backgroundStates maps Claude Code's states to the states of package guest, for background
// sessions without a process.
var backgroundStates = map[string]guest.State{"working": guest.StateBusy, "blocked": guest.StateBlocked}

// ParseAgents decodes the output of AgentsCommand. Sessions without an id are skipped, and so are
// sessions after the first contracts.LimitSurveySessions.
func ParseAgents(b []byte) ([]guest.Report, error) {
	var list []struct {
		Session string `json:"sessionId"`
		Status  string `json:"status"` // busy, waiting or idle; missing if the session has no process
		State   string `json:"state"`  // set for a background session
		Waiting string `json:"waitingFor"`
	}
	if err := json.Unmarshal(b, &list, hud.Lenient); err != nil {
		return nil, fmt.Errorf("session list cannot be decoded: %w", err)
	}
	var reports []guest.Report
	for _, s := range list[:min(len(list), contracts.LimitSurveySessions)] {
		r := guest.Report{Session: guest.Name(s.Session), State: guest.State(s.Status), Program: "claude agents", Detail: hud.Line(s.Waiting, contracts.LimitPreview)}
		if s.Status == "" {
			r.State = backgroundStates[s.State]
		}
		if r.Session != "" {
			reports = append(reports, r)
		}
	}
	return reports, nil
}
