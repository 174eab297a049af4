package watch

import (
	"context"
	"errors"

	"github.com/bullpen-office/bullpen/contracts"
)

var errNotInside = errors.New("the session could not join the office")

// temporary reports whether err means that the ledger is only temporarily down, so that a retry may
// succeed.
func temporary(err error) bool {
	var refusal *contracts.Refusal
	return errors.As(err, &refusal) && refusal.Code == contracts.CodeInternal
}

// recordFacts records facts in order and retries while the ledger is down. That is safe, because
// the office ignores facts that it has already recorded. Questions are never retried, because a
// retry could ask them twice.
func (s *shard) recordFacts(ctx context.Context, facts []fact) {
	rejoined := false
	for retry := newRetry(); len(facts) > 0; {
		list := make([]contracts.Fact, len(facts))
		for i, f := range facts {
			list[i] = f.Fact
		}
		var again []fact
		for i, r := range s.watcher.Office.Tell(ctx, list...) {
			f := facts[i]
			switch refusal := r.Refusal; {
			case refusal == nil:
				s.handleReply(f, r)
			case f.task != nil:
				f.task.refused = refusal
			case refusal.Code == contracts.CodeInternal:
				again = append(again, f)
			case refusal.Code == contracts.CodeNotFound && f.p != nil && !rejoined:
				again = append(again, f) // the agent was removed, and joins again
				f.p.joined = contracts.AgentProfile{}
			default:
				s.watcher.Log.Debug("fact refused", "error", refusal)
			}
		}
		rejoined = s.rejoin(ctx, again) || rejoined
		facts = again
		if len(facts) > 0 && retry.Wait(ctx) != nil {
			return
		}
	}
}

// rejoin makes removed agents join again and reports whether there were any.
func (s *shard) rejoin(ctx context.Context, facts []fact) (any bool) {
	for _, f := range facts {
		if f.p != nil && f.p.joined.AgentID == "" {
			any = true
			s.join(ctx, f.p, false)
		}
	}
	return any
}

// handleReply updates the open questions: it adds a recorded question under the decision id in the
// reply, and removes a withdrawn one.
func (s *shard) handleReply(f fact, r contracts.Reply) {
	switch q := f.Fact.(type) {
	case contracts.AskSeen:
		f.task.decisions = append(f.task.decisions, r.Result.DecisionID)
		f.task.answeredByRule = r.Result.RuleID != ""
		s.watcher.asks.add(f.p.id, q.Permission.CallID, r.Result.DecisionID)
	case contracts.AskWithdrawn:
		s.watcher.asks.remove(q.DecisionID)
	}
}
