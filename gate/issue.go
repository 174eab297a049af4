package gate

import (
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
)

// issued holds credentials for processes that the server starts. They live in memory, so
// none of them outlives the server.
type issued struct {
	mu        sync.Mutex
	byHash    map[string]contracts.Principal
	byProcess map[string]contracts.Principal
}

// Process identifies a process that connects to the bridge without a token. Session is its session
// key; Program is the random id of its conversation, which no other process receives.
type Process struct{ Session, Program string }

func (p Process) hash() string { return fingerprint(p.Session + "\x00" + p.Program) }

// Issue creates a credential that lets a spawned program act for one agent. The program presents
// the secret, or connects as one of the processes. The credential is valid until revoke is called.
func (g *Gate) Issue(agentID string, processes ...Process) (secret string, revoke func()) {
	secret = newSecret()
	hash := fingerprint(secret)
	p := contracts.Principal{ID: "process_" + newTokenID()[len("tok_"):], Via: "an office process", Access: contracts.AccessAgent, AgentID: agentID}
	l := &g.issued
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byHash == nil {
		l.byHash, l.byProcess = map[string]contracts.Principal{}, map[string]contracts.Principal{}
	}
	l.byHash[hash] = p
	for _, c := range processes {
		l.byProcess[c.hash()] = p
	}
	return secret, func() {
		l.mu.Lock()
		delete(l.byHash, hash)
		for _, c := range processes {
			if l.byProcess[c.hash()] == p {
				delete(l.byProcess, c.hash())
			}
		}
		l.mu.Unlock()
		g.notifyEnded(p.ID)
	}
}

func (l *issued) find(hash string) (contracts.Principal, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.byHash[hash]
	return p, ok
}

// Identify returns the principal of a process, or false if it has no valid credential.
func (g *Gate) Identify(p Process) (contracts.Principal, bool) {
	g.issued.mu.Lock()
	defer g.issued.mu.Unlock()
	who, ok := g.issued.byProcess[p.hash()]
	return who, ok
}

// HasProcesses reports whether any process currently has a valid credential.
func (g *Gate) HasProcesses() bool {
	g.issued.mu.Lock()
	defer g.issued.mu.Unlock()
	return len(g.issued.byProcess) > 0
}
