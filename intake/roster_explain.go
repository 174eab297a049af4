package intake

import (
	"cmp"

	"github.com/bullpen-office/bullpen/contracts"
)

// Explanation describes the status of a guest and the evidence for it.
type Explanation struct {
	AgentID   string                   `json:"agent_id"`
	Name      string                   `json:"name"`
	Activity  contracts.Activity       `json:"activity"`
	Authority contracts.EvidenceSource `json:"authority"`
	Why       string                   `json:"why"`
	Line      string                   `json:"line,omitzero"`
	Said      string                   `json:"said,omitzero"` // the beginning of its last answer
	Since     int64                    `json:"since,omitzero"`
	Evidence  []contracts.Evidence     `json:"evidence"`           // the newest first
	DecaysAt  int64                    `json:"decays_at,omitzero"` // when the status changes without new evidence
	PID       int                      `json:"pid,omitzero"`       // id of the watched process
}

// UncertainGuests returns the ids of guests whose status should be checked with the vendor's program.
// It considers only guests of the given source that are not sub-agents. See status.Case.IsUncertain.
func (r *Roster) UncertainGuests(source string) (ids []string) {
	now := r.now().UnixMilli()
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, p := range r.guests {
		if p.profile.Source == source && p.profile.ParentID == "" && p.leaving == "" && p.evidence.IsUncertain(now) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Departure records when and why an agent left the office.
type Departure struct {
	Name   string
	At     int64 // Unix milliseconds
	Reason string
}

// Left returns the departure of an agent, or false if the roster does not remember one.
func (r *Roster) Left(agentID string) (Departure, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	was, ok := r.past.who[agentID]
	return Departure{was.profile.Name, was.left, cmp.Or(was.reason, "Another agent took its place.")}, ok
}

// Explain returns the current status of a guest and the evidence for it, or false if the guest is
// not on the roster.
func (r *Roster) Explain(agentID string) (Explanation, bool) {
	now := r.now().UnixMilli()
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.guests[agentID]
	if p == nil {
		return Explanation{}, false
	}
	p.judge(now)
	return Explanation{
		AgentID: agentID, Name: p.profile.Name, Activity: p.verdict.Activity, Authority: p.verdict.Authority, Why: p.evidence.Explain(now),
		Line: p.verdict.Line, Said: p.verdict.Said, Since: p.verdict.Since, Evidence: p.verdict.Evidence, DecaysAt: p.until, PID: p.pid,
	}, true
}
