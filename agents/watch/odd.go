package watch

import "sync"

// limitOdd is the maximum number of different unexpected members that are logged; usually, a new
// version of a program adds only a few.
const limitOdd = 64

// odd records which unexpected members have been logged.
type odd struct {
	mu   sync.Mutex
	told map[string]bool
}

// leftOut counts the members of a hook or transcript line that were ignored because of an
// unexpected type, and logs each such member once, up to limitOdd members.
func (in *Intake) leftOut(where string, members []string) {
	for _, m := range members {
		in.metrics.odd.Inc()
		if in.odd.first(where + " " + m) {
			in.Log.Warn("ignored a field with an unexpected type; the program may be newer than the versions that Bullpen supports", "where", where, "member", m)
		}
	}
}

func (o *odd) first(what string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.told[what] || len(o.told) >= limitOdd {
		return false
	}
	if o.told == nil {
		o.told = map[string]bool{}
	}
	o.told[what] = true
	return true
}
