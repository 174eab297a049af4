package intake

import (
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
)

const (
	askCheck = time.Second      // interval between checks of the decisions that guests are waiting for
	askShown = 10 * time.Second // a decision that is still not listed after this time is no longer open
)

// waitsHere reports whether a guest is waiting for a decision in this office. The roster itself
// checks whether such a decision has been answered, because the script that asked may not report
// it.
func (p *guest) waitsHere() bool {
	return p.verdict.Activity == contracts.ActivityWaiting && slices.ContainsFunc(p.asks, isDecision)
}

func isDecision(q status.Question) bool { return contracts.HasPrefix(q.Name, contracts.PrefixDecision) }

// reopen restores a guest's open questions from the recorded decisions, after a restart or when the
// guest moves from another node. It reports whether there are any. A question that is open in the
// ledger stays open until it is answered. keepsAsking means that the agent also asks in its own
// terminal, and continues to ask after the office has withdrawn the question. Such a question stays
// open until its call ends.
func (p *guest) reopen(a contracts.Agent, decisions []contracts.Decision, keepsAsking bool, says string) (open bool) {
	for _, d := range decisions {
		if d.AskedBy != a.AgentID {
			continue
		}
		name, shown := d.DecisionID, line(d.Prompt)
		unanswered := d.Asks()
		if d.Permission != nil && keepsAsking {
			name, shown = d.Permission.CallID, d.Permission.Label
			asked := a.Activity == contracts.ActivityWaiting && d.AskedAt >= a.Since-askShown.Milliseconds()
			unanswered = unanswered || asked && d.Status == contracts.DecisionCancelled
		}
		if unanswered && name != "" {
			p.evidence.Add(status.Evidence{Source: contracts.FromOffice, Claim: status.Asked, Call: name, Says: says, Line: shown, At: d.AskedAt})
			open = true
		}
	}
	return open
}

// checkAsks closes the questions whose decisions have been answered or withdrawn.
func (r *Roster) checkAsks() {
	now := r.now().UnixMilli()
	r.mu.Lock()
	waiting := false
	for _, p := range r.guests {
		waiting = waiting || p.waitsHere()
	}
	if !waiting || now < r.nextAskCheck {
		r.mu.Unlock()
		return
	}
	r.nextAskCheck = now + askCheck.Milliseconds()
	r.mu.Unlock()

	decisions := make(map[string]contracts.DecisionStatus)
	for _, d := range r.state().Decisions {
		decisions[d.DecisionID] = d.Status
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.guests {
		if p.waitsHere() {
			p.closeAsks(decisions, now)
		}
	}
}

func (p *guest) closeAsks(decisions map[string]contracts.DecisionStatus, now int64) {
	for _, q := range p.asks {
		e := status.Evidence{Source: contracts.FromOffice, Claim: status.Answered, Call: q.Name, Says: "the question was answered", At: now}
		switch decisions[q.Name] {
		case contracts.DecisionOpen:
			continue
		case contracts.DecisionCancelled:
			e.Says = "the question was withdrawn"
		case "": // the view may lag behind the ledger
			if now < q.At+askShown.Milliseconds() {
				continue
			}
			e.Says = "the question is no longer open"
		}
		if isDecision(q) {
			p.evidence.Add(e)
			p.dirty = true
		}
	}
}
