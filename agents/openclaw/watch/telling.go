package watch

import (
	"context"
	"time"

	"github.com/bullpen-office/bullpen/agents/openclaw/translate"
	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/intake"
)

// tell takes findings to the office in their order.
func (v *visit) tell(ctx context.Context, found []translate.Finding) {
	var facts []contracts.Fact
	flush := func() {
		v.record(ctx, facts...)
		facts = nil
	}
	for _, x := range found {
		switch {
		case x.Profile != nil:
			flush()
			if err := v.cfg.Roster.Join(ctx, *x.Profile, intake.Proof{Seen: true}); err != nil && ctx.Err() == nil {
				v.cfg.Log.Warn("an agent of the gateway could not come in", "gateway", v.gateway.Name, "agent", x.AgentID, "error", err)
			}
		case x.Evidence != nil:
			v.cfg.Roster.Witness(ctx, x.AgentID, *x.Evidence)
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

// retryTell is between two attempts to tell the office what it could not write.
const retryTell = time.Second

// store keeps the whole of a large result. It insists: a fact must not name what
// is not there.
func (f *Follower) store(ctx context.Context, whole []byte) bool {
	for whole != nil {
		if _, err := f.cfg.Office.PutBlob(ctx, whole); err == nil {
			break
		} else if backoff.Sleep(ctx, retryTell) != nil {
			return false
		} else {
			f.cfg.Log.Warn("a result could not be stored; it is tried again", "gateway", f.gateway.Name, "error", err)
		}
	}
	return true
}

// record tells facts, and insists while the ledger cannot take them. Meanwhile
// nothing more is read: the gateway waits, or lets us go, and the history has it.
func (f *Follower) record(ctx context.Context, facts ...contracts.Fact) {
	for len(facts) > 0 {
		var again []contracts.Fact
		for i, reply := range f.cfg.Office.Tell(ctx, facts...) {
			switch no := reply.Refusal; {
			case no == nil:
			case no.Code == contracts.CodeInternal:
				again = append(again, facts[i])
			default:
				f.cfg.Log.Warn("the office did not take a fact of the gateway", "gateway", f.gateway.Name, "error", no)
			}
		}
		facts = again
		if len(facts) > 0 && backoff.Sleep(ctx, retryTell) != nil {
			return
		}
	}
}
