package intake

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// handleReplies handles the office's replies and returns how long to wait before retrying. A fact
// that the office could not record is retried a little later; handleReplies logs the first failure
// and the recovery.
func (r *Roster) handleReplies(ctx context.Context, notices []notice, replies []contracts.Reply) time.Duration {
	now := r.now().UnixMilli()
	var failed *contracts.Refusal
	var left []string
	again := false
	r.mu.Lock()
	for i, n := range notices {
		switch refusal := replies[i].Refusal; {
		case refusal != nil && refusal.Code == contracts.CodeInternal:
			failed = refusal
		case watchedElsewhere(refusal):
			r.nextReconcile, again = 0, true // reconcile finds out which node has the newer report
		case r.handleReply(n, refusal, now):
			left = append(left, n.who.profile.AgentID)
		}
	}
	again = again || slices.ContainsFunc(notices, func(n notice) bool { _, seen := n.fact.(contracts.AgentSeen); return seen || !n.who.inside })
	was := r.nextRetry
	if r.nextRetry = 0; failed != nil {
		r.nextRetry = now + retryAfter.Milliseconds()
	}
	r.mu.Unlock()
	for _, id := range left {
		r.forget(id)
	}
	if failed == nil && (again || len(left) > 0) {
		r.nudge() // due now: reconcile, the status of an admitted guest, the departure of sub-agents whose parent left
	}
	switch {
	case failed != nil && was == 0 && ctx.Err() == nil:
		r.log.Warn("the office is rejecting guest updates; retrying", "error", failed)
	case failed == nil && was != 0:
		r.log.Info("the office is accepting guest updates again")
	}
	if failed != nil {
		return retryAfter
	}
	return math.MaxInt64
}

// handleReply handles a final reply; true means that the guest is no longer in the office.
func (r *Roster) handleReply(n notice, refusal *contracts.Refusal, now int64) bool {
	switch f := n.fact.(type) {
	case contracts.AgentGone:
		return true // a guest that was not in the office counts as removed
	case contracts.AgentSeen:
		if refusal != nil {
			r.log.Warn("guest could not return", "agent", f.Profile.AgentID, "error", refusal)
			return true
		}
		n.who.inside, n.who.recorded, n.who.recordedAt = true, contracts.AgentStatus{}, 0
	case contracts.StatusSeen:
		if refusal != nil && refusal.Code == contracts.CodeNotFound {
			n.who.inside = false // the guest is admitted again
			return false
		}
		if refusal != nil {
			r.log.Warn("guest status refused", "agent", f.Status.AgentID, "error", refusal)
		}
		n.who.recorded, n.who.recordedAt = f.Status, now
	}
	return false
}

// guestGone reports whether a reply shows that the removed guest is no longer in the office.
func guestGone(reply contracts.Reply) bool {
	return reply.Refusal == nil || reply.Refusal.Code == contracts.CodeNotFound
}
