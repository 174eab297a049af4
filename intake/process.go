package intake

import (
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
)

// watched is a guest's process that must be checked.
type watched struct {
	id      string
	pid     int
	started int64
	alive   bool
}

// checkProcesses checks every known process when a check is due. It queries the system
// without holding the lock.
func (r *Roster) checkProcesses() {
	now := r.now().UnixMilli()
	r.mu.Lock()
	var list []watched
	if now >= r.nextProcessCheck {
		for id, p := range r.guests {
			if p.pid != 0 {
				list = append(list, watched{id: id, pid: p.pid, started: p.started})
			}
		}
		r.nextProcessCheck = now + contracts.ProcessCheck.Milliseconds()
	}
	r.mu.Unlock()
	for i, w := range list {
		list[i].alive = r.alive(w.pid, w.started)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range list {
		if p := r.guests[w.id]; p != nil && p.pid == w.pid && p.started == w.started {
			p.addProcessEvidence(w, now)
		}
	}
}

// addProcessEvidence adds the result of a check as evidence. A process that is gone is not checked
// again, because its pid may be reused.
func (p *guest) addProcessEvidence(w watched, now int64) {
	e := status.Evidence{Source: contracts.FromProcess, Claim: status.Alive, Says: fmt.Sprintf("pid %d is alive", w.pid), At: now}
	if !w.alive {
		e.Claim, e.Says = status.Gone, fmt.Sprintf("pid %d is gone", w.pid)
		p.pid, p.started = 0, 0
	}
	p.evidence.Add(e)
	p.dirty = true
}
