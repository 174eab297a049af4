package hub

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
)

// localPrincipal is the principal of the open loopback listener. Everyone on the machine shares it,
// so it has no limit of its own; only the total limit applies.
const localPrincipal = "local"

// connection is an open connection of any kind, with the functions that close it.
type connection struct {
	principal string
	close     func(code contracts.CloseCode, reason string) // closes the connection with a close frame
	finish    func()                                        // answers the commands received so far, then closes the connection; nil if the connection has no commands
	abort     func()                                        // closes the connection immediately, without a close frame
}

// registry lists the open connections.
type registry struct {
	mu           sync.Mutex
	closed       bool
	connections  map[*connection]struct{}
	perPrincipal map[string]int // number of connections by principal
	work         sync.WaitGroup
}

func (r *registry) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.connections)
}

// add registers a connection and calls work.Add; the connection must call work.Done when it ends.
// If the connection is refused, add returns the close code and false.
func (r *registry) add(c *connection, l *Limits) (contracts.CloseCode, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return contracts.CloseGoingAway, false
	case len(r.connections) >= l.Sockets:
		return contracts.CloseOverloaded, false
	case c.principal != localPrincipal && r.perPrincipal[c.principal] >= l.SocketsPerPrincipal:
		return contracts.CloseOverloaded, false
	}
	if r.connections == nil {
		r.connections = make(map[*connection]struct{})
		r.perPrincipal = make(map[string]int)
	}
	r.connections[c] = struct{}{}
	r.perPrincipal[c.principal]++
	r.work.Add(1)
	return 0, true
}

func (r *registry) remove(c *connection) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.connections[c]; !ok {
		return
	}
	delete(r.connections, c)
	if r.perPrincipal[c.principal]--; r.perPrincipal[c.principal] == 0 {
		delete(r.perPrincipal, c.principal)
	}
}

func (r *registry) list(shut bool) []*connection {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = r.closed || shut
	return slices.Collect(maps.Keys(r.connections))
}

// CloseRevoked closes all connections of a credential that is no longer valid.
func (h *Hub) CloseRevoked(principalID string) {
	for _, c := range h.registry.list(false) {
		if c.principal == principalID {
			c.close(contracts.CloseRevoked, "the token was revoked")
		}
	}
}

const goingAway = "the server is shutting down; reconnect and resume later"

// refusalOf returns the refusal that explains a close code returned by add.
func refusalOf(code contracts.CloseCode) *contracts.Refusal {
	if code == contracts.CloseGoingAway {
		return contracts.Refuse(contracts.CodeInternal, goingAway)
	}
	return contracts.Refuse(contracts.CodeRateLimited, "too many connections; try again later")
}

// Shutdown replies to the commands that have arrived, closes all connections with code 1001, and
// waits until they are closed. If ctx is done first, Shutdown aborts the remaining connections. No
// connection is accepted afterwards.
func (h *Hub) Shutdown(ctx context.Context) error {
	for _, c := range h.registry.list(true) {
		if c.finish != nil {
			c.finish()
		} else {
			c.close(contracts.CloseGoingAway, goingAway)
		}
	}
	gone := make(chan struct{})
	go func() {
		h.registry.work.Wait()
		close(gone)
	}()
	defer h.cancel()
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
	}
	h.cancel()
	for _, c := range h.registry.list(true) {
		c.abort()
	}
	<-gone
	return ctx.Err()
}
