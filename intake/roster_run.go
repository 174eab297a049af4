package intake

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
)

const (
	retryAfter        = time.Second            // delay before a failed Tell is retried
	minRecordInterval = 250 * time.Millisecond // minimum time between two records about one agent
)

// Run checks processes, lets verdicts expire, records changes and removes guests that are gone,
// until ctx is done.
func (r *Roster) Run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.wake:
		case <-timer.C:
		}
		if !r.lock(ctx) {
			return nil
		}
		next := r.round(ctx)
		r.unlock()
		timer.Reset(next)
	}
}

// notice is a fact about a guest, for the office to record.
type notice struct {
	who  *guest
	fact contracts.Fact
}

// round does everything that is due and returns how long to wait before the next round.
func (r *Roster) round(ctx context.Context) time.Duration {
	r.checkProcesses()
	r.checkAsks()
	r.applyPending()
	r.reconcile()
	notices, next := r.due(r.now().UnixMilli())
	if len(notices) > 0 {
		facts := make([]contracts.Fact, len(notices))
		for i, n := range notices {
			facts[i] = n.fact
		}
		next = min(next, r.handleReplies(ctx, notices, r.office.Tell(ctx, facts...)))
	}
	return next
}

// due returns the facts to record now, and how long to wait until the next fact is due.
func (r *Roster) due(now int64) ([]notice, time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.judge(now)
	next := int64(math.MaxInt64)
	var notices []notice
	quiet := now < r.nextRetry
	for _, p := range r.guests {
		next = min(next, p.nextCheck(now))
		fact, at := p.nextFact(now)
		switch {
		case fact == nil:
			next = min(next, at)
		case quiet:
			next = min(next, r.nextRetry)
		default:
			notices = append(notices, notice{p, fact})
		}
		if p.pid != 0 {
			next = min(next, r.nextProcessCheck)
		}
		if p.waitsHere() {
			next = min(next, r.nextAskCheck)
		}
	}
	if r.node != "" && len(r.guests) > 0 {
		next = min(next, r.nextReconcile)
	}
	slices.SortFunc(notices, func(a, b notice) int { return cmp.Compare(a.who.profile.AgentID, b.who.profile.AgentID) })
	if next == math.MaxInt64 {
		return notices, time.Hour
	}
	return notices, time.Duration(max(next-now, 1)) * time.Millisecond
}

// judge updates verdicts that have expired, and verdicts with new evidence once a change may be
// recorded. Sub-agents go offline with their parent.
func (r *Roster) judge(now int64) {
	r.clampTimes(now)
	for _, p := range r.guests {
		if p.dirty && now >= p.recordableAt() || p.until > 0 && now >= p.until {
			p.judge(now)
		}
	}
	for _, p := range r.guests {
		parent := r.guests[p.profile.ParentID]
		if parent == nil || parent.offline == 0 || p.offline != 0 || parent.verdict.Authority == contracts.FromSilence {
			continue
		}
		p.evidence.Add(status.Evidence{Source: parent.verdict.Authority, Claim: status.Gone, Says: parent.profile.Name + " is offline", At: now})
		p.judge(now)
	}
}

// clampTimes keeps scheduled times near now, so that nothing is delayed if the clock is set back.
func (r *Roster) clampTimes(now int64) {
	r.nextRetry = min(r.nextRetry, now+retryAfter.Milliseconds())
	r.nextProcessCheck = min(r.nextProcessCheck, now+contracts.ProcessCheck.Milliseconds())
	r.nextAskCheck = min(r.nextAskCheck, now+askCheck.Milliseconds())
	r.nextReconcile = min(r.nextReconcile, now+reconcileInterval.Milliseconds())
	for _, p := range r.guests {
		p.recordedAt, p.offline = min(p.recordedAt, now), min(p.offline, now)
	}
}

func (p *guest) judge(now int64) {
	since, was := p.verdict.Since, p.verdict.Activity
	p.verdict, p.until = p.evidence.Verdict(now)
	p.verdict.AgentID, p.asks = p.profile.AgentID, nil
	if p.verdict.Activity == contracts.ActivityWaiting {
		p.asks = p.evidence.Questions()
	}
	if was == p.verdict.Activity {
		p.verdict.Since = since
	}
	switch p.dirty = false; {
	case p.verdict.Activity != contracts.ActivityOffline:
		p.offline = 0
	case p.offline == 0:
		p.offline = now
	}
}

// recordableAt returns the earliest time when a changed activity may be recorded.
func (p *guest) recordableAt() int64 { return p.recordedAt + minRecordInterval.Milliseconds() }

// nextCheck returns when to check the guest again: when the verdict expires, when a changed
// activity may be recorded, or when the guest has been offline long enough to leave. A guest that
// has already been offline that long is marked as leaving.
func (p *guest) nextCheck(now int64) int64 {
	next := int64(math.MaxInt64)
	if p.until > 0 {
		next = p.until
	}
	if p.dirty { // see judge
		next = min(next, p.recordableAt())
	}
	if p.offline > 0 && p.leaving == "" {
		if leaves := p.offline + p.profile.LeavesAfter().Milliseconds(); now >= leaves {
			p.leaving = "It has been offline for " + status.FormatDuration(p.profile.LeavesAfter()) + "."
		} else {
			next = min(next, leaves)
		}
	}
	return next
}

// nextFact returns the fact to record about a guest now. If there is none, it returns nil and the time
// of the next check. A change of activity is recorded sooner than other changes.
func (p *guest) nextFact(now int64) (contracts.Fact, int64) {
	switch {
	case p.leaving != "":
		return contracts.AgentGone{AgentID: p.profile.AgentID, Reason: p.leaving}, 0
	case !p.inside:
		return contracts.AgentSeen{Profile: p.profile}, 0
	}
	v, t := &p.verdict, &p.recorded
	at := p.recordedAt + contracts.StatusInterval.Milliseconds()
	switch {
	case v.Activity != t.Activity:
		at = p.recordableAt()
	case v.Authority == t.Authority && v.Line == t.Line && v.Why == t.Why && v.Said == t.Said:
		return nil, math.MaxInt64
	}
	if now < at {
		return nil, at
	}
	return contracts.StatusSeen{Status: *v}, 0
}
