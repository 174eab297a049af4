package bridge

import "errors"

// errStopped ends a turn by a person's will.
var errStopped = errors.New("stopped by a person in the office")

// Stop ends the running turns of an agent; those that wait are next.
func (b *Bridge) Stop(of func(agent string) bool) {
	for _, s := range b.matching(of) {
		s.mu.Lock()
		if s.running != nil {
			s.running.cancel(errStopped)
		}
		s.mu.Unlock()
	}
}

// Reset ends every turn of an agent and lets go of what runs it: the next turn
// opens it anew.
func (b *Bridge) Reset(of func(agent string) bool) {
	for _, s := range b.matching(of) {
		s.mu.Lock()
		for _, t := range s.queue {
			t.cancel(errStopped)
		}
		if s.running != nil {
			s.running.cancel(errStopped)
			s.anew = true // its line is let go of when it has ended
		} else {
			s.letGo()
		}
		s.mu.Unlock()
	}
}

// CloseRevoked ends the connections of a credential that is not valid any more.
func (b *Bridge) CloseRevoked(principalID string) { b.peers.revoke(principalID) }

func (b *Bridge) matching(of func(agent string) bool) (found []*session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.sessions {
		if of(s.addr.agent) {
			found = append(found, s)
		}
	}
	return found
}
