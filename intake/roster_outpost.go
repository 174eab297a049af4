package intake

import (
	"context"
	"maps"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
)

// Adopt adds the agents of an outpost that is gone to the roster and marks them as offline, so that
// they leave like other offline guests. says is the reason that people see.
func (r *Roster) Adopt(outpost, says string) {
	now := r.now().UnixMilli()
	state := r.state()
	r.mu.Lock()
	for _, a := range state.Agents {
		if a.Outpost != outpost || r.guests[a.AgentID] != nil {
			continue
		}
		p := &guest{profile: a.AgentProfile, inside: true, lastActive: now, dirty: true}
		p.evidence.Add(status.Evidence{Source: contracts.FromOffice, Claim: status.Gone, Says: says, Line: a.StatusLine, Said: a.Said, At: now})
		if a.Activity == contracts.ActivityOffline {
			p.offline = min(max(a.Since, 1), now)
		}
		r.guests[a.AgentID] = p
	}
	r.mu.Unlock()
	r.nudge()
}

// Release removes the agents of an outpost from the roster, because the outpost reports on them
// again. When it returns, this roster reports nothing more about them.
func (r *Roster) Release(ctx context.Context, outpost string) error {
	if !r.lock(ctx) {
		return ctx.Err()
	}
	defer r.unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.guests, func(_ string, p *guest) bool { return p.profile.Outpost == outpost })
	return nil
}

// Resync makes Run record every guest's profile and status again, in case the office has removed
// guests.
func (r *Roster) Resync() {
	r.mu.Lock()
	for _, p := range r.guests {
		p.inside = false
	}
	r.mu.Unlock()
	r.nudge()
}
