package intake

import (
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
)

// reconcileInterval is the interval at which the roster is reconciled with the office.
const reconcileInterval = 2 * time.Second

// pendingEvidence is evidence about an agent that is not on this roster.
type pendingEvidence struct {
	agentID  string
	evidence status.Evidence
}

// keepPending keeps evidence that may move a guest of another node to this node, until Run looks up
// the guest in the office. It returns false if the evidence cannot move a guest.
func (r *Roster) keepPending(agentID string, e status.Evidence) bool {
	if r.node == "" || len(r.pending) >= contracts.LimitGuests || !reportsHere(e) && !startsWork(e.Claim) {
		return false
	}
	r.pending = append(r.pending, pendingEvidence{agentID, e})
	return true
}

// applyPending applies the pending evidence. It moves guests to this node if the evidence shows that
// they now report to it.
func (r *Roster) applyPending() {
	r.mu.Lock()
	claims := r.pending
	r.pending = nil
	r.mu.Unlock()
	if len(claims) == 0 {
		return
	}
	state := r.state()
	for _, c := range claims {
		switch a := agentIn(state, c.agentID); {
		case a == nil:
			r.readmit(c)
		case movesHere(a, c.evidence):
			r.receive(state, c.agentID)
		}
		r.mu.Lock()
		if p := r.guests[c.agentID]; p != nil {
			r.addTo(p, c.evidence)
		}
		r.mu.Unlock()
	}
}

// movesHere reports whether evidence makes this node watch a guest of another node. Several nodes may
// read the same transcript or gateway. New work in it therefore counts only if the guest's own node
// considers the guest offline.
func movesHere(a *contracts.Agent, e status.Evidence) bool {
	return reportsHere(e) || startsWork(e.Claim) && a.Activity == contracts.ActivityOffline && e.At > a.Since
}

// reportsHere reports whether evidence shows that a guest reports to this node. Hooks, events and the
// stream of a turn show it, because each of them reaches only one node. The loss of a connection does
// not show it, because the agent may have connected elsewhere.
func reportsHere(e status.Evidence) bool {
	switch e.Source {
	case contracts.FromHook, contracts.FromEvent, contracts.FromStream:
		return e.Claim != status.Gone
	}
	return false
}

// receive adds another node's guest to the roster when a report moves the guest to this node. The
// guest starts with its recorded status, which is older than that report. Agents that are already on
// the roster, are not guests, or belong to another outpost are ignored.
func (r *Roster) receive(state contracts.Snapshot, agentID string) {
	a := agentIn(state, agentID)
	r.mu.Lock()
	defer r.mu.Unlock()
	if a != nil && a.Guest() && a.Outpost == r.outpost && r.guests[agentID] == nil {
		now := r.now().UnixMilli()
		at := min(max(a.Since, now-lateReportGrace.Milliseconds()), now)
		p := r.recalled(*a, state.Decisions, provenance{"as recorded by node " + a.Node, at})
		if found, ok := r.shared[agentID]; ok {
			p.profile = r.completeFrom(found, p.profile)
			delete(r.shared, agentID)
		}
		r.guests[agentID] = p
	}
}

// keepElsewhere reports whether a guest that this node found stays with the node that watches it. If
// so, it stores the profile in case the guest moves to this node.
func (r *Roster) keepElsewhere(state contracts.Snapshot, found contracts.AgentProfile) bool {
	a := agentIn(state, found.AgentID)
	if a == nil || !a.Guest() || a.Outpost != r.outpost || r.watches(&a.AgentProfile) {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.shared) < contracts.LimitGuests {
		r.shared[found.AgentID] = found
	}
	return true
}

// readmit adds a guest to this roster if the guest left while another node was watching it and the
// evidence shows new work.
func (r *Roster) readmit(c pendingEvidence) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, ok := r.shared[c.agentID]
	if ok && startsWork(c.evidence.Claim) && r.guests[c.agentID] == nil && len(r.guests) < contracts.LimitGuests {
		r.guests[c.agentID] = &guest{profile: r.complete(found)}
		delete(r.shared, c.agentID)
	}
}

func agentIn(state contracts.Snapshot, agentID string) *contracts.Agent {
	i := slices.IndexFunc(state.Agents, func(a contracts.Agent) bool { return a.AgentID == agentID })
	if i < 0 {
		return nil
	}
	return &state.Agents[i]
}

// watchedElsewhere reports whether a fact was refused because another node watches the guest.
func watchedElsewhere(refusal *contracts.Refusal) bool {
	return refusal != nil && refusal.Field == contracts.FieldNode
}

// reconcile compares the roster with the office. It drops guests that have moved to another node,
// unless they have reported to this node since. It also makes Run record a guest again if the office
// has marked the guest as offline or removed it because this node was gone for a while.
func (r *Roster) reconcile() {
	now := r.now().UnixMilli()
	r.mu.Lock()
	due := r.node != "" && len(r.guests) > 0 && now >= r.nextReconcile
	r.mu.Unlock()
	if !due {
		return
	}
	state := r.state()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.nextReconcile = now + reconcileInterval.Milliseconds()
	for id, p := range r.guests {
		if !p.inside || p.profile.Outpost != r.outpost {
			continue
		}
		switch a := agentIn(state, id); {
		case a == nil && p.offline != 0, a != nil && a.Node != r.node && (p.leaving != "" || p.lastReportSeq < a.NodeSeq):
			delete(r.guests, id)
		case a == nil || a.Node != r.node:
			p.inside = false
		case a.Activity != "" && a.Activity != p.recorded.Activity:
			p.recorded = contracts.AgentStatus{}
		}
	}
}
