package intake

import (
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// lateness is how long after somebody left what it did before may still come in.
const lateness = 2 * time.Second

// alumni are the last who left, so that who works on without knowing that it left
// is let in again. There are at most limit of them.
type alumni struct {
	limit int
	order []string // the longest gone first
	who   map[string]alumnus
}

type alumnus struct {
	profile contracts.AgentProfile
	left    int64
	reason  string
}

func newAlumni(limit int) *alumni { return &alumni{limit: limit, who: make(map[string]alumnus)} }

func (a *alumni) add(p contracts.AgentProfile, left int64, reason string) {
	a.remove(p.AgentID)
	a.who[p.AgentID] = alumnus{p, left, reason}
	a.order = append(a.order, p.AgentID)
	if len(a.order) > a.limit {
		a.remove(a.order[0])
	}
}

func (a *alumni) remove(id string) {
	if _, ok := a.who[id]; ok {
		delete(a.who, id)
		a.order = slices.DeleteFunc(a.order, func(o string) bool { return o == id })
	}
}

// since is who left well before a time.
func (a *alumni) since(id string, at int64) (contracts.AgentProfile, bool) {
	was, ok := a.who[id]
	return was.profile, ok && at > was.left+lateness.Milliseconds()
}
