package director

import (
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/world"
)

// CallerStatus derives the status of a crew member that works for outside callers from its open
// turns, tool calls and questions. It returns false if no caller's turn is open.
func CallerStatus(w *world.World, agentID string) (contracts.AgentStatus, bool) {
	var open []status.Evidence
	see := func(claim status.Claim, says, line string, at int64) {
		open = append(open, status.Evidence{Source: contracts.FromStream, Claim: claim, Says: says, Line: hud.Line(line, contracts.LimitPreview), At: at})
	}
	for _, t := range w.Turns() {
		if t.AgentID != agentID || t.Origin != contracts.OriginCaller {
			continue
		}
		see(status.TurnStarted, "turn started", t.Label, t.TS)
		for _, c := range t.Calls {
			if c.Tool != "" {
				see(status.ToolStarted, c.Tool+" started", c.Label, c.TS)
			}
		}
		for _, d := range w.TurnAsks(agentID, t.ID) {
			says, line := "question asked", d.Prompt
			if d.Permission != nil {
				says, line = "permission requested", d.Permission.Label
			}
			see(status.Asked, says, line, d.AskedAt)
		}
	}
	s, ok := status.Held(open)
	s.AgentID = agentID
	return s, ok
}

// stepCallers records the new status of one crew member whose work for outside callers has started,
// changed or ended, and reports whether there was one.
func (a *act) stepCallers() bool {
	for _, ag := range a.w.Agents() {
		if ag.Guest() {
			continue
		}
		s, works := CallerStatus(a.w, ag.AgentID)
		switch {
		case !works && ag.Status == nil, works && ag.Status != nil && ag.Status.Activity == s.Activity:
			continue
		case !works:
			s.Activity, s.Authority, s.Why = contracts.ActivityIdle, contracts.FromStream, "Idle: no caller is waiting (stream)"
		}
		s.Since = a.now.MS
		a.emit(&contracts.Event{Name: contracts.EventAgentStatus, AgentID: ag.AgentID, Status: &s})
		return true
	}
	return false
}
