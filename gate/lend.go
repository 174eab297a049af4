package gate

import (
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
)

// lent holds credentials for processes that the server starts. They live in memory, so
// none of them outlives the server.
type lent struct {
	mu      sync.Mutex
	byHash  map[string]contracts.Principal
	byClaim map[string]contracts.Principal
}

// Claim identifies a process that connects to the bridge without a token. Session is its session key;
// Program is the random id of its conversation, which no other process receives.
type Claim struct{ Session, Program string }

func (c Claim) hash() string { return fingerprint(c.Session + "\x00" + c.Program) }

// Lend creates a credential that lets a spawned process act for one agent. The process presents the
// secret or one of the claims. The credential is valid until revoke is called.
func (g *Gate) Lend(agentID string, claims ...Claim) (secret string, revoke func()) {
	secret = newSecret()
	hash := fingerprint(secret)
	p := contracts.Principal{ID: "process_" + newTokenID()[len("tok_"):], Via: "a process of the office", Access: contracts.AccessAgent, AgentID: agentID}
	l := &g.lent
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byHash == nil {
		l.byHash, l.byClaim = map[string]contracts.Principal{}, map[string]contracts.Principal{}
	}
	l.byHash[hash] = p
	for _, c := range claims {
		l.byClaim[c.hash()] = p
	}
	return secret, func() {
		l.mu.Lock()
		delete(l.byHash, hash)
		for _, c := range claims {
			if l.byClaim[c.hash()] == p {
				delete(l.byClaim, c.hash())
			}
		}
		l.mu.Unlock()
		g.ended(p.ID)
	}
}

func (l *lent) find(hash string) (contracts.Principal, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.byHash[hash]
	return p, ok
}

// Claimed returns the principal that a claim belongs to. It returns false if the claim is not
// valid.
func (g *Gate) Claimed(c Claim) (contracts.Principal, bool) {
	g.lent.mu.Lock()
	defer g.lent.mu.Unlock()
	p, ok := g.lent.byClaim[c.hash()]
	return p, ok
}

// Claimable reports whether any claim is valid now.
func (g *Gate) Claimable() bool {
	g.lent.mu.Lock()
	defer g.lent.mu.Unlock()
	return len(g.lent.byClaim) > 0
}
