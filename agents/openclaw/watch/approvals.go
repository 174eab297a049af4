package watch

import (
	"context"
	"slices"

	"github.com/bullpen-office/bullpen/agents/openclaw/translate"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// ask is an approval for which the office has opened a decision.
type ask struct {
	id       string // the gateway's id for the approval
	kind     string
	guestID  string
	decision string // id of the decision
	verdict  string // the answer, in the gateway's terms; empty while the decision is open
}

// answer is the outcome of one of the office's decisions.
type answer struct {
	id       string
	decision contracts.Decision
}

// approve opens one decision for an approval and starts waiting for the answer.
func (v *connection) approve(ctx context.Context, guestID string, a *translate.Approval) {
	if known := v.asks[a.ID]; known != nil {
		if known.verdict != "" { // decided while the gateway was disconnected
			v.resolve(known)
		}
		return
	}
	if v.cfg.ReadOnly {
		return
	}
	decision := v.openDecision(ctx, guestID, a)
	if decision == "" {
		reply := v.cfg.Office.Tell(ctx, hud.PrepareAsk(contracts.AskSeen{
			AgentID: guestID, Kind: contracts.DecisionPermission, Prompt: a.Prompt, Options: a.Options, ExpiresAt: a.ExpiresAt, Permission: &a.Allows, Watch: translate.Source,
		}))[0]
		if reply.Refusal != nil {
			v.cfg.Log.Warn("could not record an approval; it can only be answered at the gateway", "gateway", v.gateway.Name, "agent", guestID, "error", reply.Refusal)
			return
		}
		decision = reply.Result.DecisionID
	}
	x := &ask{id: a.ID, kind: a.Kind, guestID: guestID, decision: decision}
	v.asks[a.ID] = x
	v.running.Go(func() {
		d, err := v.cfg.Office.Await(ctx, decision)
		if err != nil {
			d.Status = contracts.DecisionCancelled
		}
		select {
		case v.answers <- answer{id: a.ID, decision: d}:
		case <-ctx.Done():
		}
	})
}

// openDecision returns the id of the decision that was opened for an approval before a restart, or ""
// if there is none.
func (v *connection) openDecision(ctx context.Context, guestID string, a *translate.Approval) string {
	for _, d := range v.office(ctx).Decisions {
		if d.Status == contracts.DecisionOpen && d.AskedBy == guestID && d.Permission != nil && d.Permission.CallID == a.Allows.CallID {
			return d.DecisionID
		}
	}
	return ""
}

// answered sends the office's answer to the gateway. v is nil while the gateway is disconnected; in
// that case, the next connection sends the answer.
func (f *Follower) answered(a answer, v *connection) {
	x := f.asks[a.id]
	if x == nil {
		return
	}
	if a.decision.Status != contracts.DecisionResolved {
		delete(f.asks, a.id)
		return
	}
	if x.verdict = translate.Decisions[a.decision.Choice]; x.verdict == "" {
		x.verdict = translate.Decisions[contracts.OptionDeny] // never allow more than was decided
	}
	if v != nil {
		v.resolve(x)
	}
}

func (v *connection) resolve(x *ask) {
	v.request(x.kind+".approval.resolve", map[string]any{"id": x.id, "decision": x.verdict}, func(ctx context.Context, f translate.Frame) {
		delete(v.asks, x.id)
		if !f.OK && f.Error != nil {
			v.refuse(ctx, order{guestID: x.guestID, what: "approval"}, f.Error.Error())
		}
	})
}

// settled withdraws the question about an approval that was answered at the gateway.
func (f *Follower) settled(ctx context.Context, s translate.Settled) {
	x := f.asks[s.ID]
	if x == nil || x.verdict != "" {
		return
	}
	delete(f.asks, s.ID)
	reason := "It was answered at the gateway."
	if s.Decision != "" {
		reason = "It was answered at the gateway: " + contracts.Clip(contracts.CleanLine(s.Decision), contracts.LimitName) + "."
	}
	f.record(ctx, contracts.AskWithdrawn{DecisionID: x.decision, Reason: reason})
}

// approvals handles the gateway's list of pending approvals: it opens decisions for new approvals
// and withdraws decisions whose approvals are no longer pending.
func (v *connection) approvals(ctx context.Context, f translate.Frame) {
	waiting, found, err := v.reader.Approvals(f.Payload, v.now())
	if !f.OK || err != nil {
		v.logFailure("exec.approval.list", f, err)
		return
	}
	v.handleFindings(ctx, found)
	const over = "The gateway is no longer waiting for an answer."
	known := map[string]bool{}
	for id, x := range v.asks {
		known[x.decision] = true
		if x.kind == "exec" && !slices.Contains(waiting, id) {
			delete(v.asks, id)
			if x.verdict == "" {
				v.record(ctx, contracts.AskWithdrawn{DecisionID: x.decision, Reason: over})
			}
		}
	}
	if v.connections > 1 {
		return
	}
	guests := v.reader.GuestIDs()
	for _, d := range v.office(ctx).Decisions { // decisions from before a restart
		if d.Status == contracts.DecisionOpen && d.Kind == contracts.DecisionPermission && !known[d.DecisionID] && slices.Contains(guests, d.AskedBy) {
			v.record(ctx, contracts.AskWithdrawn{DecisionID: d.DecisionID, Reason: over})
		}
	}
}
