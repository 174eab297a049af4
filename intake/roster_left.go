package intake

import (
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// lateReportGrace is how long reports of an agent's earlier activity may still arrive after the agent
// has left.
const lateReportGrace = 2 * time.Second

// recentlyLeft remembers the agents that left most recently, up to limit, so that an agent that is
// still working is admitted again with its next report.
type recentlyLeft struct {
	limit int
	order []string // oldest first
	who   map[string]departed
}

type departed struct {
	profile contracts.AgentProfile
	left    int64
	reason  string
}

func newRecentlyLeft(limit int) *recentlyLeft {
	return &recentlyLeft{limit: limit, who: make(map[string]departed)}
}

func (a *recentlyLeft) add(p contracts.AgentProfile, left int64, reason string) {
	a.remove(p.AgentID)
	a.who[p.AgentID] = departed{p, left, reason}
	a.order = append(a.order, p.AgentID)
	if len(a.order) > a.limit {
		a.remove(a.order[0])
	}
}

func (a *recentlyLeft) remove(id string) {
	if _, ok := a.who[id]; ok {
		delete(a.who, id)
		a.order = slices.DeleteFunc(a.order, func(o string) bool { return o == id })
	}
}

// leftBefore returns the profile of an agent that left more than lateReportGrace before the given
// time. It returns false for any other agent.
func (a *recentlyLeft) leftBefore(id string, at int64) (contracts.AgentProfile, bool) {
	was, ok := a.who[id]
	return was.profile, ok && at > was.left+lateReportGrace.Milliseconds()
}
