package intake

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// settle notes what came of telling. What the office could not take is told again
// a little later; the log says so once, and again when it works.
func (r *Roster) settle(ctx context.Context, notices []notice, replies []contracts.Reply) time.Duration {
	now := r.now().UnixMilli()
	var failed *contracts.Refusal
	var left []string
	r.mu.Lock()
	for i, n := range notices {
		no := replies[i].Refusal
		if no != nil && no.Code == contracts.CodeInternal {
			failed = no
			continue
		}
		if r.settled(n, no, now) {
			left = append(left, n.who.profile.AgentID)
		}
	}
	again := slices.ContainsFunc(notices, func(n notice) bool { _, seen := n.fact.(contracts.AgentSeen); return seen || !n.who.inside })
	was := r.retry
	if r.retry = 0; failed != nil {
		r.retry = now + retryAfter.Milliseconds()
	}
	r.mu.Unlock()
	for _, id := range left {
		r.forget(id)
	}
	if failed == nil && (again || len(left) > 0) {
		r.nudge() // who was let in has a status; who left takes others along
	}
	switch {
	case failed != nil && was == 0 && ctx.Err() == nil:
		r.log.Warn("the office rejects updates about guests; retrying", "error", failed)
	case failed == nil && was != 0:
		r.log.Info("the office accepts updates about guests again")
	}
	if failed != nil {
		return retryAfter
	}
	return math.MaxInt64
}

// settled notes one answer that will not change by asking again; true means that
// the person is out of the office.
func (r *Roster) settled(n notice, no *contracts.Refusal, now int64) bool {
	switch f := n.fact.(type) {
	case contracts.AgentGone:
		return true // a guest that is not there is out as well
	case contracts.AgentSeen:
		if no != nil {
			r.log.Warn("guest could not return", "agent", f.Profile.AgentID, "error", no)
			return true
		}
		n.who.inside, n.who.told, n.who.toldAt = true, contracts.AgentStatus{}, 0
	case contracts.StatusSeen:
		if no != nil && no.Code == contracts.CodeNotFound {
			n.who.inside = false // it is let in again
			return false
		}
		if no != nil {
			r.log.Warn("guest status refused", "agent", f.Status.AgentID, "error", no)
		}
		n.who.told, n.who.toldAt = f.Status, now
	}
	return false
}

// gone reports whether a guest is out of the office after it was told to go.
func gone(reply contracts.Reply) bool {
	return reply.Refusal == nil || reply.Refusal.Code == contracts.CodeNotFound
}
