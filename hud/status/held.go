package status

import (
	"cmp"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// Held returns the status of an agent with the given open calls and questions. The status never
// expires. It is determined by the oldest question or, if there is none, by the newest call. ok is
// false if nothing is open.
func Held(open []Evidence) (s contracts.AgentStatus, ok bool) {
	if len(open) == 0 {
		return s, false
	}
	seen := slices.SortedStableFunc(slices.Values(open), func(a, b Evidence) int { return cmp.Compare(b.At, a.At) })
	by, activity := seen[0], contracts.ActivityWorking
	for _, e := range seen {
		if e.Claim == Asked {
			by, activity = e, contracts.ActivityWaiting
		}
		s.Evidence = append(s.Evidence, contracts.Evidence{Source: e.Source, Says: e.Says, At: e.At})
	}
	m := markOf(by)
	f := finding{activity: activity, by: m, what: m.label(), detail: by.Says}
	s.Activity, s.Authority, s.Why, s.Line, s.Since = activity, f.authority(), f.why(0), by.Line, by.At
	s.Evidence = s.Evidence[:min(len(s.Evidence), contracts.LimitEvidence)]
	return s, true
}
