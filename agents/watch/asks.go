package watch

import "sync"

const answeredElsewhere = "answered in the terminal"

// asks holds the open permission requests.
type asks struct {
	mu   sync.Mutex
	open map[string]ask // by decision
}

type ask struct{ agentID, call string }

func newAsks() *asks { return &asks{open: make(map[string]ask)} }

func (a *asks) add(agentID, call, decision string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open[decision] = ask{agentID, call}
}

// remove removes and returns a question; open is false if the question was not open.
func (a *asks) remove(decision string) (q ask, open bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	q, open = a.open[decision]
	delete(a.open, decision)
	return q, open
}

// of returns the decisions for an agent's open questions about a call, or about any call if call is
// empty.
func (a *asks) of(agentID, call string) (decisions []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, q := range a.open {
		if q.agentID == agentID && (call == "" || q.call == call) {
			decisions = append(decisions, id)
		}
	}
	return decisions
}
