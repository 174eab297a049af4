package hub

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
)

// localPrincipal is the open loopback door. Everybody on the machine comes
// through it, so it has no share of its own: only the total counts.
const localPrincipal = "local"

// guest is anything that stays connected.
type guest struct {
	principal string
	leave     func(code contracts.CloseCode, reason string) // close its connection
	finish    func()                                        // answer what it has sent, then leave; nil if it sends no commands
	cut       func()                                        // end it now
}

// registry knows who is connected.
type registry struct {
	mu     sync.Mutex
	closed bool
	guests map[*guest]struct{}
	share  map[string]int // by principal
	work   sync.WaitGroup
}

func (r *registry) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.guests)
}

// admit lets a guest in and counts its work, which must end with Done. When it
// cannot it says with which code to turn the guest away.
func (r *registry) admit(g *guest, l *Limits) (contracts.CloseCode, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return contracts.CloseGoingAway, false
	case len(r.guests) >= l.Sockets:
		return contracts.CloseOverloaded, false
	case g.principal != localPrincipal && r.share[g.principal] >= l.SocketsPerPrincipal:
		return contracts.CloseOverloaded, false
	}
	if r.guests == nil {
		r.guests = make(map[*guest]struct{})
		r.share = make(map[string]int)
	}
	r.guests[g] = struct{}{}
	r.share[g.principal]++
	r.work.Add(1)
	return 0, true
}

func (r *registry) leave(g *guest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.guests[g]; !ok {
		return
	}
	delete(r.guests, g)
	if r.share[g.principal]--; r.share[g.principal] == 0 {
		delete(r.share, g.principal)
	}
}

func (r *registry) list(shut bool) []*guest {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = r.closed || shut
	return slices.Collect(maps.Keys(r.guests))
}

// CloseRevoked closes every connection of a credential that is no longer valid.
func (h *Hub) CloseRevoked(principalID string) {
	for _, g := range h.guests.list(false) {
		if g.principal == principalID {
			g.leave(contracts.CloseRevoked, "the token was revoked")
		}
	}
}

const goingAway = "the server is shutting down; reconnect and resume later"

// Shutdown closes every connection with 1001, after replying to the commands that have
// arrived, and waits until they are gone. If ctx ends first, it cuts them off. No
// connection is accepted afterwards.
func (h *Hub) Shutdown(ctx context.Context) error {
	for _, g := range h.guests.list(true) {
		if g.finish != nil {
			g.finish()
		} else {
			g.leave(contracts.CloseGoingAway, goingAway)
		}
	}
	gone := make(chan struct{})
	go func() {
		h.guests.work.Wait()
		close(gone)
	}()
	defer h.cancel()
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
	}
	h.cancel()
	for _, g := range h.guests.list(true) {
		g.cut()
	}
	<-gone
	return ctx.Err()
}
