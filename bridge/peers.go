package bridge

import (
	"maps"
	"slices"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/turn"
)

// anyChat as the chat of a hello takes every chat of an agent.
const anyChat = "*"

// peers are the agents that dialled in, by session key. Locks are taken in the
// order peers, peer.
type peers struct {
	bridge *Bridge

	mu      sync.Mutex
	byKey   map[string]*peer
	sockets map[*socket]struct{}
	left    map[string]string // programs that have left, by session key
	came    chan struct{}     // closed when an agent dials in
	closed  bool
	running sync.WaitGroup

	admitted uint64 // counts the sockets

	telling sync.Mutex // so that the office hears of the newest state last
}

func newPeers(b *Bridge) *peers {
	return &peers{bridge: b, byKey: map[string]*peer{}, sockets: map[*socket]struct{}{}, left: map[string]string{}, came: make(chan struct{})}
}

// arrivals is closed when the next one dials in.
func (p *peers) arrivals() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.came
}

// find is the peer that takes a conversation, nil when none is there.
func (p *peers) find(k turn.Key) *peer {
	p.mu.Lock()
	defer p.mu.Unlock()
	if found := p.byKey[k.String()]; found != nil {
		return found
	}
	return p.byKey[k.Agent+keySeparator+anyChat]
}

// agents are the names for which somebody dialled in.
func (p *peers) agents() (names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, found := range p.byKey {
		names = append(names, found.agent())
	}
	return names
}

// tell lets the office know whether an agent is there.
func (p *peers) tell(agent string) {
	p.telling.Lock()
	defer p.telling.Unlock()
	p.bridge.cfg.Office.Present(agent, slices.Contains(p.agents(), agent))
}

// enter gives a socket the session that its hello names, in exchange for the one that
// it had before. A connection that is being sent away claims nothing: then it is nil.
// again means that the same program had the session before, on another connection.
func (p *peers) enter(s *socket, before *peer, key, program string) (found *peer, again bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || s.closed() {
		return nil, false
	}
	if found = p.byKey[key]; found == nil {
		found, again = newPeer(p, key), program != "" && p.left[key] == program
		p.byKey[key] = found
		delete(p.left, key)
	} else if found != before {
		again = program != "" && found.ID() == program
	}
	if before != nil && before != found && before.lose(s) {
		p.forget(before)
	}
	s.answer(&frame{Type: "hello_ack"}) // before anybody can send it a turn
	found.attach(s, program)
	close(p.came)
	p.came = make(chan struct{})
	return found, again
}

// drop forgets a peer that is not there any more.
func (p *peers) drop(gone *peer) {
	p.mu.Lock()
	left := p.forget(gone)
	p.mu.Unlock()
	if left {
		p.tell(gone.agent())
	}
}

// forget takes out a peer that is not there any more; the caller holds the lock.
func (p *peers) forget(gone *peer) bool {
	left := p.byKey[gone.key] == gone && gone.absent()
	if left {
		delete(p.byKey, gone.key)
		for key := range p.left { // over the limit, a reconnect may go unnoticed
			if len(p.left) < contracts.LimitPeers {
				break
			}
			delete(p.left, key)
		}
		p.left[gone.key] = gone.ID()
	}
	return left
}

// admit counts a socket; it is false when there are too many. Among sockets without a
// credential the newest displaces the oldest, so that silent connections cannot lock out
// programs that say hello immediately.
func (p *peers) admit(s *socket) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if oldest, n := p.unproven(); s.holder == "" && n >= contracts.LimitPeersUnproven {
		oldest.close(contracts.CloseOverloaded, "a newer connection took this place; say hello sooner")
		delete(p.sockets, oldest)
	}
	if p.closed || len(p.sockets) >= contracts.LimitPeers {
		return false
	}
	p.admitted++
	s.number = p.admitted
	p.sockets[s] = struct{}{}
	return true
}

// unproven finds the oldest socket without a credential, and how many there are.
func (p *peers) unproven() (oldest *socket, n int) {
	for s := range p.sockets {
		if s.holder != "" {
			continue
		}
		if n++; oldest == nil || s.number < oldest.number {
			oldest = s
		}
	}
	return oldest, n
}

// hold sets the credential id of a socket.
func (p *peers) hold(s *socket, holder string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.holder = holder
}

func (p *peers) dismiss(s *socket) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sockets, s)
}

// revoke sends away whoever came with a credential, and takes its sessions from it
// at once: a program that is ending must not be asked any more.
func (p *peers) revoke(holder string) {
	p.mu.Lock()
	var cut []*socket
	for s := range p.sockets {
		if s.holder == holder {
			s.close(contracts.CloseRevoked, "the credential was revoked")
			cut = append(cut, s)
		}
	}
	held := slices.Collect(maps.Values(p.byKey))
	p.mu.Unlock()
	for _, s := range cut {
		for _, found := range held {
			found.detach(s)
		}
	}
}

// CloseRevoked ends the connections of a credential that is not valid any more.
func (b *Bridge) CloseRevoked(principalID string) { b.peers.revoke(principalID) }

// close sends every socket away and waits for them.
func (p *peers) close() {
	p.mu.Lock()
	p.closed = true
	for s := range p.sockets {
		s.close(contracts.CloseGoingAway, "the office is closing")
	}
	p.mu.Unlock()
	p.running.Wait()
}
