package watch

import (
	"context"
	"errors"

	"github.com/bullpen-office/bullpen/contracts"
)

var errNotInside = errors.New("the session has no place in the office")

// lasting reports an error that may pass: the ledger cannot write now.
func lasting(err error) bool {
	var no *contracts.Refusal
	return errors.As(err, &no) && no.Code == contracts.CodeInternal
}

// tell records facts in their order. What the ledger cannot take now is offered
// again until it can: facts count once, so none is recorded twice. A question is
// the exception; it is asked once, and not at all when that is in doubt.
func (l *lane) tell(ctx context.Context, facts []fact) {
	rejoined := false
	for retry := newRetry(); len(facts) > 0; {
		list := make([]contracts.Fact, len(facts))
		for i, f := range facts {
			list[i] = f.Fact
		}
		var again []fact
		for i, r := range l.in.Office.Tell(ctx, list...) {
			f := facts[i]
			switch no := r.Refusal; {
			case no == nil:
				l.told(f, r)
			case f.task != nil:
				f.task.refused = no
			case no.Code == contracts.CodeInternal:
				again = append(again, f)
			case no.Code == contracts.CodeNotFound && f.p != nil && !rejoined:
				again = append(again, f) // it was taken out meanwhile, and it is back
				f.p.joined = contracts.AgentProfile{}
			default:
				l.in.Log.Debug("a fact of Claude Code was refused", "error", no)
			}
		}
		rejoined = l.rejoin(ctx, again) || rejoined
		facts = again
		if len(facts) > 0 && retry.Wait(ctx) != nil {
			return
		}
	}
}

// rejoin lets those in again who were taken out; it reports whether there were any.
func (l *lane) rejoin(ctx context.Context, facts []fact) (any bool) {
	for _, f := range facts {
		if f.p != nil && f.p.joined.AgentID == "" {
			any = true
			l.join(ctx, f.p)
		}
	}
	return any
}

// told notes what became of a fact that is recorded.
func (l *lane) told(f fact, r contracts.Reply) {
	switch q := f.Fact.(type) {
	case contracts.AskSeen:
		f.task.decisions = append(f.task.decisions, r.Result.DecisionID)
		l.in.asks.add(f.p.id, q.Permission.CallID, r.Result.DecisionID)
	case contracts.AskWithdrawn:
		l.in.asks.remove(q.DecisionID)
	}
}
