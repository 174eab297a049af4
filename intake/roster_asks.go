package intake

import (
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
)

const (
	askCheck = time.Second      // between two looks at the decisions that people wait for
	askShown = 10 * time.Second // a decision that is not in sight by then is over
)

// waitsHere reports whether somebody waits for a decision of this office, so that
// the office itself knows when it is answered: a script that asked may not tell.
func (p *person) waitsHere() bool {
	return p.verdict.Activity == contracts.ActivityWaiting && slices.ContainsFunc(p.asks, isDecision)
}

func isDecision(name string) bool { return contracts.HasPrefix(name, contracts.PrefixDecision) }

// checkAsks closes the questions whose decision is answered or withdrawn.
func (r *Roster) checkAsks() {
	now := r.now().UnixMilli()
	r.mu.Lock()
	waiting := false
	for _, p := range r.people {
		waiting = waiting || p.waitsHere()
	}
	if !waiting || now < r.asks {
		r.mu.Unlock()
		return
	}
	r.asks = now + askCheck.Milliseconds()
	r.mu.Unlock()

	decisions := make(map[string]contracts.DecisionStatus)
	for _, d := range r.state().Decisions {
		decisions[d.DecisionID] = d.Status
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.people {
		if p.waitsHere() {
			p.closeAsks(decisions, now)
		}
	}
}

func (p *person) closeAsks(decisions map[string]contracts.DecisionStatus, now int64) {
	for _, name := range p.asks {
		e := status.Evidence{Source: contracts.FromOffice, Claim: status.Answered, Call: name, Says: "the question was answered", At: now}
		switch decisions[name] {
		case contracts.DecisionOpen:
			continue
		case contracts.DecisionCancelled:
			e.Says = "the question was withdrawn"
		case "": // what is shown may be a little behind what is recorded
			if now < p.verdict.Since+askShown.Milliseconds() {
				continue
			}
			e.Says = "the question is not open any more"
		}
		if isDecision(name) {
			p.evidence.Add(e)
			p.dirty = true
		}
	}
}
