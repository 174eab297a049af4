package translate

import (
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
)

// Fact is a fact of activity with the whole of its result, where that is too
// large to travel.
type Fact struct {
	HUD   contracts.HUD
	Whole []byte
}

// Told is what one hook, one row or the passing of time says.
type Told struct {
	Facts    []Fact
	Evidence []status.Evidence
	Usage    []contracts.UsageSeen
	Over     []string // calls that ran or will not run: a question about them needs nobody
	Deltas   []Delta
	Changed  bool   // who it is has changed: see Session.Profile
	Ended    string // it said goodbye, and why
}

// Delta is text that appears while the agent writes it.
type Delta struct {
	Message string // the text's own id
	Text    string
	Final   bool
}

// answered adds the answer of a turn to the newest evidence, which says that the
// turn ended.
func (t *Told) answered(said string) {
	t.Evidence[len(t.Evidence)-1].Said = hud.Line(said, contracts.LimitSnapshotText)
}

// Add appends what was told later.
func (t *Told) Add(o Told) {
	t.Facts = append(t.Facts, o.Facts...)
	t.Evidence = append(t.Evidence, o.Evidence...)
	t.Usage = append(t.Usage, o.Usage...)
	t.Over = append(t.Over, o.Over...)
	t.Deltas = append(t.Deltas, o.Deltas...)
	t.Changed = t.Changed || o.Changed
	if o.Ended != "" {
		t.Ended = o.Ended
	}
}

// memory remembers the ids of facts that were told, the newest limitTold of them.
// What it forgets is told again and counts once all the same, by its id.
type memory struct {
	seen  map[string]bool
	order []string
	next  int
}

const limitTold = 1024

func (m *memory) has(id string) bool { return m.seen[id] }

// add reports whether the id is new.
func (m *memory) add(id string) bool {
	if m.seen[id] {
		return false
	}
	if m.seen == nil {
		m.seen = make(map[string]bool)
	}
	m.seen[id] = true
	if len(m.order) < limitTold {
		m.order = append(m.order, id)
		return true
	}
	delete(m.seen, m.order[m.next])
	m.order[m.next] = id
	m.next = (m.next + 1) % limitTold
	return true
}
