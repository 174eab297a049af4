package intake

import (
	"cmp"
	"errors"

	"github.com/bullpen-office/bullpen/contracts"
)

// Proof is evidence that a guest exists. Hooks and events are not enough: a caller with
// a credential can send them for sessions that do not exist.
type Proof struct {
	Shared  bool  // the guest was found in files or a gateway that other nodes may also read
	Seen    bool  // seen in a transcript, on one of the office's connections, or with its own credential
	PID     int   // the guest's process; it must be a live agent process of the office's user, and proves only one guest
	Started int64 // start time of the process; without it, PID proves nothing
}

// ErrFull means that the office has no room for another guest.
var ErrFull = errors.New("the office is full")

// Crowd reports how full the office is, and how many guests have been displaced or refused since
// the server started.
type Crowd struct {
	Guests    int    `json:"guests"`
	Limit     int    `json:"limit"`
	Unproven  int    `json:"unproven"`  // guests known only from hooks or events
	Displaced uint64 `json:"displaced"` // guests displaced by others; offline guests do not count
	Refused   uint64 `json:"refused"`   // attempts to join a full office
}

// Crowd returns the current counts.
func (r *Roster) Crowd() Crowd {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := Crowd{Guests: len(r.guests), Limit: contracts.LimitGuests, Displaced: r.displaced, Refused: r.refused}
	for _, p := range r.guests {
		if p.proof == unproven {
			c.Unproven++
		}
	}
	return c
}

// proving lists the evidence sources that prove that a guest exists: the office itself reads the
// transcript or holds the connection.
var proving = map[contracts.EvidenceSource]bool{contracts.FromTranscript: true, contracts.FromGateway: true, contracts.FromStream: true}

// rank is the strength of a guest's proof.
type rank int

const (
	unproven rank = iota
	process       // a live agent process: any of the user's programs could pose as one
	seen          // see Proof.Seen
)

// rankOf returns the strength of a proof. It queries the system, so call it without holding the
// lock.
func (r *Roster) rankOf(agentID string, proof Proof) rank {
	if proof.Seen {
		return seen
	}
	if proof.PID <= 0 || proof.Started == 0 || !r.isAgentProcess(proof.PID, proof.Started) {
		return unproven
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, p := range r.guests {
		if id != agentID && p.proof != unproven && p.leaving == "" && p.pid == proof.PID && p.started == proof.Started {
			return unproven
		}
	}
	return process
}

// guestToDisplace returns the guest to displace in a full office, and the reason; id is "" if no
// guest may be displaced. It chooses the guest that has been offline the longest. If no guest is
// offline, it chooses the guest with the weakest proof, provided that the newcomer's proof is
// stronger. Among equal guests, it chooses the one that has been silent the longest.
//
// An unproven newcomer can displace another unproven guest that has been silent for UnprovenGrace.
// Invented sessions therefore cannot displace real sessions that keep reporting.
func (r *Roster) guestToDisplace(proof rank, now int64) (id, reason string) {
	for _, p := range r.guests {
		if p.dirty {
			p.judge(now)
		}
	}
	if id = r.longestOffline(); id != "" {
		return id, "It was offline, and another agent needed the place."
	}
	for other, p := range r.guests {
		stays := proof == unproven && now-p.lastActive < contracts.UnprovenGrace.Milliseconds()
		if p.proof > unproven && p.proof >= proof || stays {
			continue
		}
		if id == "" || cmp.Or(cmp.Compare(p.proof, r.guests[id].proof), cmp.Compare(p.lastActive, r.guests[id].lastActive), cmp.Compare(other, id)) < 0 {
			id = other
		}
	}
	if id != "" && r.guests[id].proof == process {
		return id, "The office was full, and no transcript proved that this agent exists."
	}
	return id, "The office was full, and no process or transcript proved that this agent exists."
}
