package intake

import (
	"cmp"
	"errors"

	"github.com/bullpen-office/bullpen/contracts"
)

// Proof is what shows that a guest exists. Hooks and events are no proof: a caller
// with a credential can send them for sessions that it invented.
type Proof struct {
	Seen    bool  // in a transcript, through a connection of the office, or by a credential of its own
	PID     int   // of its process; counts while the process lives and proves nobody else
	Started int64 // of the process; a pid without it proves nothing
}

// ErrFull says that the office has no place for a guest.
var ErrFull = errors.New("the office is full")

// Crowd is how full the office is, and who was turned away since the server
// started.
type Crowd struct {
	Guests    int    `json:"guests"`
	Limit     int    `json:"limit"`
	Unproven  int    `json:"unproven"`  // guests known only by what callers say
	Displaced uint64 `json:"displaced"` // unproven guests that made room for others
	Refused   uint64 `json:"refused"`   // attempts to come in that found no place
}

// Crowd counts the guests.
func (r *Roster) Crowd() Crowd {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := Crowd{Guests: len(r.people), Limit: contracts.LimitGuests, Displaced: r.displaced, Refused: r.refused}
	for _, p := range r.people {
		if !p.proven {
			c.Unproven++
		}
	}
	return c
}

// shows are the sources of evidence that prove a guest: the office itself reads
// the transcript or holds the connection.
var shows = map[contracts.EvidenceSource]bool{contracts.FromTranscript: true, contracts.FromGateway: true, contracts.FromStream: true}

// proves checks a proof. It asks the system, so it is called without the lock.
func (r *Roster) proves(agentID string, proof Proof) bool {
	if proof.Seen {
		return true
	}
	if proof.PID <= 0 || proof.Started == 0 || !r.alive(proof.PID, proof.Started) {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, p := range r.people {
		if id != agentID && p.proven && p.leaving == "" && p.pid == proof.PID && p.started == proof.Started {
			return false
		}
	}
	return true
}

// roomFor names who makes room in a full office, and why: the guest that has been
// offline for longest, or else the unproven guest that was not heard of for
// longest. Unproven guests displace each other only after UnprovenStays, so that
// invented sessions cannot chase real ones out faster than they report.
func (r *Roster) roomFor(proven bool, now int64) (id, reason string) {
	if id = r.longestOffline(); id != "" {
		return id, "It was offline, and another agent needed the place."
	}
	for other, p := range r.people {
		if p.proven || !proven && now-p.heard < contracts.UnprovenStays.Milliseconds() {
			continue
		}
		if id == "" || cmp.Or(cmp.Compare(p.heard, r.people[id].heard), cmp.Compare(other, id)) < 0 {
			id = other
		}
	}
	return id, "The office was full, and no process or transcript showed that it exists."
}
