package watch

import "sync"

// limitOdd is how many kinds of odd members are told one by one; a new version of
// Claude Code has few.
const limitOdd = 64

// odd remembers which odd members were told.
type odd struct {
	mu   sync.Mutex
	told map[string]bool
}

// leftOut tells, once for each kind, that members of a hook or a line have a type
// that nobody expected: the rest was taken in.
func (in *Intake) leftOut(where string, members []string) {
	for _, m := range members {
		in.metrics.odd.Inc()
		if in.odd.first(where + " " + m) {
			in.Log.Warn("a part of what Claude Code says was left out: it has another type than expected; this version may be newer than what is understood here", "where", where, "member", m)
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
