package intake

import (
	"context"
	"fmt"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
)

// Join admits a guest, or updates its profile; empty fields do not change the profile. It returns
// once the change is durable. If the office is full, Join displaces an offline guest or, failing
// that, a guest with a weaker proof; if there is neither, the error is ErrFull. A guest with a
// shared proof stays on the roster of the node that watches it, until evidence moves it to this
// roster.
func (r *Roster) Join(ctx context.Context, p contracts.AgentProfile, proof Proof) error {
	if !p.Guest() || !contracts.HasPrefix(p.AgentID, contracts.PrefixAgent) {
		return fmt.Errorf("admit %q: a guest needs a source and an id that starts with agent_", p.AgentID)
	}
	rank := r.rankOf(p.AgentID, proof)
	if r.alreadyJoined(p, rank) {
		return nil
	}
	j := &joining{profile: p, proof: rank, shared: proof.Shared, done: make(chan struct{})}
	r.mu.Lock()
	r.joins = append(r.joins, j)
	r.mu.Unlock()
	select {
	case <-j.done: // another caller that held the token admitted the guest
		return j.err
	case <-ctx.Done():
		r.mu.Lock()
		r.joins = slices.DeleteFunc(r.joins, func(other *joining) bool { return other == j })
		r.mu.Unlock()
		return fmt.Errorf("admit %s: %w", p.AgentID, ctx.Err())
	case r.tellToken <- struct{}{}:
	}
	func() {
		defer r.unlock() // even on a panic: other callers are waiting
		r.joinAll(ctx)
	}()
	<-j.done
	return j.err
}

// Admit is like Join, but for an agent whose turns the office itself runs for callers, so that no
// other proof of the agent's existence is needed.
func (r *Roster) Admit(ctx context.Context, p contracts.AgentProfile) error {
	if err := r.Join(ctx, p, Proof{Seen: true}); err != nil {
		return fmt.Errorf("agent not admitted: %w", err)
	}
	return nil
}

// joining is a guest that is waiting to be admitted.
type joining struct {
	profile contracts.AgentProfile
	proof   rank
	shared  bool
	err     error // set before done is closed
	done    chan struct{}
}

// joinAll admits all waiting guests. Updates to guests that are already inside are recorded
// together, because an agent that answers many callers concurrently joins once for each of them.
func (r *Roster) joinAll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), contracts.CommandTimeout)
	defer cancel()
	r.mu.Lock()
	waiting := r.joins
	r.joins = nil
	r.mu.Unlock()
	if len(waiting) == 0 {
		return
	}
	state := r.state()
	r.learnNames(state)
	for len(waiting) > 0 {
		if n := r.update(ctx, waiting); n > 0 {
			waiting = waiting[n:]
			continue
		}
		j := waiting[0]
		if !j.shared || !r.keepElsewhere(state, j.profile) {
			j.err = r.admitOne(ctx, state, j.profile, j.proof)
		}
		close(j.done)
		waiting = waiting[1:]
	}
}

// update handles joins from the front of the list, and stops at the first guest that is not inside,
// is leaving or changes its name. It makes a single call to Tell, and returns the number of joins
// that it handled.
func (r *Roster) update(ctx context.Context, waiting []*joining) (count int) {
	latest := make(map[string]contracts.AgentProfile)
	var facts []contracts.Fact
	r.mu.Lock()
	for _, j := range waiting {
		have := r.guests[j.profile.AgentID]
		if have == nil || !have.inside || have.leaving != "" {
			break
		}
		known, ok := latest[j.profile.AgentID]
		if !ok {
			known = have.profile
		}
		completed := r.completeFrom(j.profile, known)
		if completed.Name != known.Name { // another guest may want the old name, so handle one at a time
			break
		}
		j.profile = completed
		latest[j.profile.AgentID] = j.profile
		facts = append(facts, contracts.AgentSeen{Profile: j.profile})
	}
	r.mu.Unlock()
	if len(facts) == 0 {
		return 0
	}
	for i, reply := range r.office.Tell(ctx, facts...) {
		j := waiting[i]
		if refusal := reply.Refusal; refusal != nil {
			j.err = fmt.Errorf("admit %s: %w", j.profile.AgentID, refusal)
		} else {
			r.enter(j.profile, j.proof)
		}
		close(j.done)
	}
	return len(facts)
}

// admitOne admits one guest. In a full office, it first displaces another guest.
func (r *Roster) admitOne(ctx context.Context, state contracts.Snapshot, p contracts.AgentProfile, rank rank) error {
	p, removal, err := r.prepareAdmission(p, rank)
	if err != nil {
		return err
	}
	var facts []contracts.Fact
	if removal.AgentID != "" {
		facts = append(facts, removal)
	}
	replies := r.office.Tell(ctx, append(facts, contracts.AgentSeen{Profile: p})...)
	if removal.AgentID != "" && guestGone(replies[0]) {
		r.displace(removal)
	}
	if refusal := replies[len(replies)-1].Refusal; refusal != nil {
		return fmt.Errorf("admit %s: %w", p.AgentID, refusal)
	}
	r.receive(state, p.AgentID)
	r.enter(p, rank)
	return nil
}

// alreadyJoined reports whether an agent is inside and its profile is unchanged. It also stores
// the proof.
func (r *Roster) alreadyJoined(p contracts.AgentProfile, proof rank) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	have := r.guests[p.AgentID]
	if have != nil {
		have.proof = max(have.proof, proof)
	}
	return have != nil && have.inside && have.leaving == "" && r.sources.Same(r.complete(p), have.profile)
}

// prepareAdmission returns the completed profile and, in a full office, the removal of the guest
// that has to make room. If no guest can make room, the error is ErrFull.
func (r *Roster) prepareAdmission(p contracts.AgentProfile, proof rank) (completed contracts.AgentProfile, removal contracts.AgentGone, err error) {
	now := r.now().UnixMilli()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.guests[p.AgentID] == nil && len(r.guests) >= contracts.LimitGuests {
		if removal.AgentID, removal.Reason = r.guestToDisplace(proof, now); removal.AgentID == "" {
			r.refused++
			return p, removal, fmt.Errorf("admit %s: %w: all %d guests are active; wait until one leaves", p.AgentID, ErrFull, contracts.LimitGuests)
		}
	}
	return r.complete(p), removal, nil
}

// displace removes a guest from the roster to make room for a new one. It counts the guest as
// displaced unless the guest was offline.
func (r *Roster) displace(removal contracts.AgentGone) {
	r.mu.Lock()
	if p := r.guests[removal.AgentID]; p != nil {
		if p.offline == 0 {
			r.displaced++
		}
		p.leaving = removal.Reason
	}
	r.mu.Unlock()
	r.forget(removal.AgentID)
}

func (r *Roster) longestOffline() (id string) {
	for _, p := range r.guests {
		if p.offline > 0 && (id == "" || p.offline < r.guests[id].offline) {
			id = p.profile.AgentID
		}
	}
	return id
}

// complete returns a profile with a unique name, and with known values in place of empty fields.
func (r *Roster) complete(p contracts.AgentProfile) contracts.AgentProfile {
	have := r.away[p.AgentID]
	if known := r.guests[p.AgentID]; known != nil {
		have = known.profile
	}
	return r.completeFrom(p, have)
}

func (r *Roster) completeFrom(p, have contracts.AgentProfile) contracts.AgentProfile {
	p.Role, p.Home, p.Outpost, p.Node = contracts.RoleGuest, "", r.outpost, r.node
	p.Place = contracts.Clip(contracts.CleanLine(p.Place), contracts.LimitPreview)
	p.Repo = contracts.Clip(contracts.CleanLine(p.Repo), contracts.LimitPreview)
	p.Model = contracts.Clip(contracts.CleanLine(p.Model), contracts.LimitName)
	for _, f := range []struct{ to, from *string }{
		{&p.Runner, &have.Runner}, {&p.ParentID, &have.ParentID}, {&p.Session, &have.Session}, {&p.Place, &have.Place}, {&p.Repo, &have.Repo}, {&p.Model, &have.Model},
	} {
		if *f.to == "" {
			*f.to = *f.from
		}
	}
	p.Name = r.nameFor(p, have.Name)
	return p
}

func (r *Roster) enter(profile contracts.AgentProfile, proof rank) {
	now := r.now().UnixMilli()
	r.mu.Lock()
	p := r.guests[profile.AgentID]
	if p == nil {
		p = &guest{}
		p.evidence.Add(status.Evidence{Source: contracts.FromOffice, Claim: status.Present, Says: "joined", At: now})
		r.guests[profile.AgentID] = p
	}
	p.profile, p.inside, p.leaving, p.dirty, p.lastActive = profile, true, "", true, now
	p.proof = max(p.proof, proof)
	r.past.remove(profile.AgentID)
	r.mu.Unlock()
	r.nudge()
}

// forget removes a guest from the roster and makes its sub-agents leave.
func (r *Roster) forget(id string) {
	now := r.now().UnixMilli()
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.guests[id]
	if p == nil {
		return
	}
	delete(r.guests, id)
	r.past.add(p.profile, now, p.leaving)
	for _, child := range r.guests {
		if child.profile.ParentID == id && child.leaving == "" {
			child.leaving = p.profile.Name + " has left."
		}
	}
}

// startsWork reports whether a claim shows new work.
func startsWork(c status.Claim) bool {
	return c == status.TurnStarted || c == status.ToolStarted || c == status.Asked
}

// rejoin puts a former agent back on the roster if the evidence shows new work, that is, if the
// agent's session continues. It returns nil if there is no new work, or if the office is full.
func (r *Roster) rejoin(id string, e status.Evidence) *guest {
	if !startsWork(e.Claim) {
		return nil
	}
	profile, ok := r.past.leftBefore(id, e.At)
	if !ok || len(r.guests) >= contracts.LimitGuests {
		return nil
	}
	p := &guest{profile: r.complete(profile)}
	r.guests[id] = p
	r.past.remove(id)
	return p
}
