package watch

import "sync"

// limitMismatches is the maximum number of different members that are logged; usually, a new
// version of a program adds only a few.
const limitMismatches = 64

// mismatches records which members with an unexpected type have been logged.
type mismatches struct {
	mu     sync.Mutex
	logged map[string]bool
}

// reportIgnored counts the members of a hook or transcript line that were ignored because of an
// unexpected type, and logs each such member once, up to limitMismatches members.
func (w *Watcher) reportIgnored(where string, members []string) {
	for _, m := range members {
		w.metrics.mismatched.Inc()
		if w.mismatches.first(where + " " + m) {
			w.Log.Warn("ignored a field with an unexpected type; the program may be newer than the versions that Bullpen supports", "where", where, "member", m)
		}
	}
}

func (m *mismatches) first(what string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.logged[what] || len(m.logged) >= limitMismatches {
		return false
	}
	if m.logged == nil {
		m.logged = map[string]bool{}
	}
	m.logged[what] = true
	return true
}
