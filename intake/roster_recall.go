package intake

import (
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
)

// takeOver adds the guests of a snapshot to the roster, with their status. It leaves out guests
// that belong on another node's or outpost's roster.
func (r *Roster) takeOver(s contracts.Snapshot) {
	now := r.now().UnixMilli()
	r.learnNames(s)
	for _, a := range s.Agents {
		if r.watches(&a.AgentProfile) {
			r.guests[a.AgentID] = r.recalled(a, s.Decisions, provenance{beforeRestart, now})
		}
	}
}

// watches reports whether an agent in the office is a guest that belongs on this roster. A guest
// without a node is taken over by the first node that starts. An office without nodes takes over
// the guests of any node, because the ledger was moved to that office.
func (r *Roster) watches(a *contracts.AgentProfile) bool {
	return a.Guest() && a.Outpost == r.outpost && (a.Node == r.node || a.Node == "" || r.node == "")
}

// recalled returns the roster entry for a guest that is already in the office, with its recorded
// status as evidence. If the guest belonged to another node, Run records that it has moved.
func (r *Roster) recalled(a contracts.Agent, decisions []contracts.Decision, from provenance) *guest {
	now := r.now().UnixMilli()
	p := &guest{profile: a.AgentProfile, inside: a.Node == r.node, lastActive: now}
	p.profile.Node = r.node
	p.recall(a, decisions, r.sources.Of(a.Source).KeepsAsking, from)
	p.judge(now)
	if a.Activity == "" || a.Activity == p.verdict.Activity {
		p.recorded = p.verdict // a restart or move alone changes no status
	}
	return p
}

// provenance says where a recorded status comes from, and which time it gets as evidence.
type provenance struct {
	says string
	at   int64
}

const beforeRestart = "as recorded before the restart"

// recall turns a recorded status into evidence. A guest that was offline only because it was silent
// may still be waiting for an answer. A guest whose process had ended is not waiting. A guest that
// the office marked as offline because nobody was watching it may still be running.
func (p *guest) recall(a contracts.Agent, decisions []contracts.Decision, keepsAsking bool, from provenance) {
	e := status.Evidence{Source: contracts.FromOffice, Says: from.says, Line: a.StatusLine, Said: a.Said, At: from.at}
	gone := a.Activity == contracts.ActivityOffline && a.Authority != contracts.FromSilence
	switch {
	case !gone && p.reopen(a, decisions, keepsAsking, from.says):
		return
	case a.Activity == contracts.ActivityWorking:
		e.Claim = status.TurnStarted
	case a.Activity == contracts.ActivityWaiting:
		e.Claim = status.Asked
	case a.Activity == contracts.ActivityOffline && a.Authority == contracts.FromOffice:
		e.Claim = status.Present
	case a.Activity == contracts.ActivityOffline:
		e.Claim = status.Gone
		if gone {
			e.Source = a.Authority // so that a later restart does not treat the guest as unwatched
		}
		p.offline = min(max(a.Since, 1), from.at)
	default:
		e.Claim = status.Present
	}
	p.evidence.Add(e)
}
