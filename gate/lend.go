package gate

import (
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
)

// lent are credentials for processes that the server starts itself. They live in
// memory: no process outlives its server with a right to speak.
type lent struct {
	mu     sync.Mutex
	byHash map[string]contracts.Principal
}

// Lend makes a credential with which a spawned process may speak for one agent.
// It ends with revoke.
func (g *Gate) Lend(agentID string) (secret string, revoke func()) {
	secret = newSecret()
	hash := fingerprint(secret)
	p := contracts.Principal{ID: "process_" + newTokenID()[len("tok_"):], Access: contracts.AccessAgent, AgentID: agentID}
	g.lent.mu.Lock()
	defer g.lent.mu.Unlock()
	if g.lent.byHash == nil {
		g.lent.byHash = map[string]contracts.Principal{}
	}
	g.lent.byHash[hash] = p
	return secret, func() {
		g.lent.mu.Lock()
		delete(g.lent.byHash, hash)
		g.lent.mu.Unlock()
		g.revoked(p.ID)
	}
}

func (l *lent) find(hash string) (contracts.Principal, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.byHash[hash]
	return p, ok
}
