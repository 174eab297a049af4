package watch

import (
	"context"
	"time"

	"github.com/bullpen-office/bullpen/agents/openclaw/translate"
	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/intake"
)

// handleFindings processes findings in order: it records facts, adds agents to the roster, and
// passes on evidence and approvals.
func (v *connection) handleFindings(ctx context.Context, found []translate.Finding) {
	var facts []contracts.Fact
	flush := func() {
		v.record(ctx, facts...)
		facts = nil
	}
	for _, x := range found {
		switch {
		case x.Profile != nil:
			flush()
			if err := v.cfg.Roster.Join(ctx, *x.Profile, intake.Proof{Seen: true, Shared: true}); err != nil && ctx.Err() == nil {
				v.cfg.Log.Warn("gateway agent could not join the office", "gateway", v.gateway.Name, "agent", x.AgentID, "error", err)
			}
		case x.Evidence != nil:
			v.cfg.Roster.AddEvidence(ctx, x.AgentID, *x.Evidence)
		case x.Approval != nil:
			flush()
			v.approve(ctx, x.AgentID, x.Approval)
		case x.Settled != nil:
			v.settled(ctx, *x.Settled)
		case x.Reread != "":
			v.reread(x.Reread)
		case x.Fact != nil:
			if v.store(ctx, x.Whole) {
				facts = append(facts, x.Fact)
			}
		}
	}
	flush()
}

// recordRetry is the delay between two attempts to record facts.
const recordRetry = time.Second

// store stores a large result and retries until it succeeds, because a fact must not refer to
// missing content. It returns false if ctx is done first.
func (f *Follower) store(ctx context.Context, whole []byte) bool {
	for whole != nil {
		if _, err := f.cfg.Office.PutBlob(ctx, whole); err == nil {
			break
		} else if backoff.Sleep(ctx, recordRetry) != nil {
			return false
		} else {
			f.cfg.Log.Warn("could not store a tool result; retrying", "gateway", f.gateway.Name, "error", err)
		}
	}
	return true
}

// record records facts and retries while the ledger is down. During that time nothing is read from
// the gateway; if the gateway disconnects us, the missed events are read from the history later.
func (f *Follower) record(ctx context.Context, facts ...contracts.Fact) {
	for len(facts) > 0 {
		var again []contracts.Fact
		for i, reply := range f.cfg.Office.Tell(ctx, facts...) {
			switch refusal := reply.Refusal; {
			case refusal == nil:
			case refusal.Code == contracts.CodeInternal:
				again = append(again, facts[i])
			default:
				f.cfg.Log.Warn("could not record a gateway event", "gateway", f.gateway.Name, "error", refusal)
			}
		}
		facts = again
		if len(facts) > 0 && backoff.Sleep(ctx, recordRetry) != nil {
			return
		}
	}
}
