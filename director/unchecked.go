package director

import (
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// stepUnchecked adds an inbox entry for each session that ended without a passing check of its last
// code edit, and withdraws entries that no longer apply. It reports whether anything changed.
func (a *act) stepUnchecked() bool {
	before := len(a.out)
	for _, d := range a.listed() {
		if reason := a.removalReason(d); reason != "" {
			a.withdraw(d, reason)
		}
	}
	if a.cfg.Unchecked {
		for _, ag := range matching(a.w.Agents(), endedSession) {
			a.addUnchecked(ag)
		}
	}
	open := a.listed()
	for _, d := range open[:max(0, len(open)-contracts.LimitUnchecked)] {
		a.withdraw(d, "Replaced by newer sessions that ended unchecked.")
	}
	return len(a.out) > before
}

// listed returns the sessions in the inbox, oldest first.
func (a *act) listed() []*contracts.Decision {
	return matching(a.w.Decisions(), func(d *contracts.Decision) bool { return isOpen(d) && d.Session != nil })
}

// endedSession reports whether an agent is a guest whose session has ended. It returns false for
// sub-agents, because their edits also count for their parents. It also returns false for a guest
// that the office marked as offline because the guest's node is gone: the guest may still be
// working.
func endedSession(ag *world.Agent) bool {
	return ag.Guest() && ag.ParentID == "" && offline(ag) && ag.Status.Authority != contracts.FromOffice
}

// addUnchecked requests a decision about an ended session whose last code edit is unchecked. It
// does nothing if the edit is already listed.
func (a *act) addUnchecked(ag *world.Agent) {
	c := ag.Unchecked()
	if c == nil || c.Edit.At == ag.Impacts.Listed {
		return
	}
	session := &contracts.EndedSession{Agent: ag.AgentProfile, Checked: *c}
	session.Agent.Controls = nil
	if a.passedSince(session) {
		return
	}
	d := &contracts.Decision{
		DecisionID: a.nextDecision(), Kind: contracts.DecisionUnchecked, Status: contracts.DecisionOpen, Prompt: uncheckedPrompt(c), Options: []string{contracts.OptionDismiss},
		AskedBy: ag.AgentID, AskedAt: a.now.MS, Session: session,
	}
	a.emitKeyed("dec/"+d.DecisionID, &contracts.Event{Name: contracts.EventDecisionRequested, AgentID: d.AskedBy, DecisionID: d.DecisionID, Decision: d,
		Meta: &contracts.Meta{Title: ag.Name + " ended unchecked", Summary: d.Prompt}})
}

// uncheckedPrompt explains why the edits are unchecked. It contains no times: clients add them,
// because only clients know the reader's time zone.
func uncheckedPrompt(c *contracts.Checked) string {
	switch c.State {
	case contracts.EditsStale:
		return fmt.Sprintf("The session ended after an edit that %s did not cover.", checkWords(c.Check))
	case contracts.EditsFailed:
		return fmt.Sprintf("The session ended with %s failing after the last edit.", checkWords(c.Check))
	}
	return "The session ended, but no check of its edits was seen."
}

func checkWords(check *contracts.Impact) string {
	if check.What == "" {
		return "the last check"
	}
	return "`" + check.What + "`"
}

// removalReason returns the reason a session no longer belongs in the inbox, or "" if it still
// does.
func (a *act) removalReason(d *contracts.Decision) string {
	ag := a.w.Agent(d.AskedBy)
	switch {
	case !a.cfg.Unchecked:
		return "Sessions that end unchecked are no longer listed."
	case ag != nil && (ag.Active() || ag.Impacts.Code != nil && ag.Impacts.Code.At > d.Session.Checked.Edit.At):
		return "The session continued."
	case a.passedSince(d.Session):
		return "A check passed after the last edit."
	}
	return ""
}

// passedSince reports whether a check passed after a session's last code edit: in the session
// itself, or in another one that works in the same folder.
func (a *act) passedSince(s *contracts.EndedSession) bool {
	was := &s.Agent
	for _, ag := range a.w.Agents() {
		same := ag.AgentID == was.AgentID || ag.Guest() && was.Place != "" && ag.Place == was.Place && ag.Node == was.Node && ag.Outpost == was.Outpost
		if c := ag.Impacts.Check; same && c != nil && c.Outcome == contracts.OutcomePassed && c.Since > s.Checked.Edit.At {
			return true
		}
	}
	return false
}
