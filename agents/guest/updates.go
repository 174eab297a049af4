package guest

import (
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
)

// Fact is a HUD fact to record; Whole is the full result if it is too large to inline.
type Fact struct {
	HUD   contracts.HUD
	Whole []byte
}

// Updates is everything to report after a hook, a transcript row or a timeout.
type Updates struct {
	Facts      []Fact
	Evidence   []status.Evidence
	Usage      []contracts.UsageSeen
	EndedCalls []string // calls that have ended or will not run, so questions about them are obsolete
	Deltas     []Delta
	Changed    bool   // the profile has changed: see Session.Profile
	Ended      string // why the session ended; empty if it has not
	Switched   bool   // the session's terminal continues with another session
}

// Delta is text that the agent is writing.
type Delta struct {
	Message string // id of the message
	Text    string
	Final   bool
}

// SetAnswer adds a turn's answer to the newest evidence, which reports the end of the turn.
func (u *Updates) SetAnswer(said string) {
	u.Evidence[len(u.Evidence)-1].Said = hud.Line(said, contracts.LimitSnapshotText)
}

// Add adds o, which was reported later, to u.
func (u *Updates) Add(o Updates) {
	u.Facts = append(u.Facts, o.Facts...)
	u.Evidence = append(u.Evidence, o.Evidence...)
	u.Usage = append(u.Usage, o.Usage...)
	u.EndedCalls = append(u.EndedCalls, o.EndedCalls...)
	u.Deltas = append(u.Deltas, o.Deltas...)
	u.Changed, u.Switched = u.Changed || o.Changed, u.Switched || o.Switched
	if o.Ended != "" {
		u.Ended = o.Ended
	}
}

// memory holds the ids of the most recently reported facts, at most limitReported. A fact whose id
// was dropped may be reported again, but the office records it only once, because the id is the
// same.
type memory struct {
	seen  map[string]bool
	order []string
	next  int
}

const limitReported = 1024

func (m *memory) has(id string) bool { return m.seen[id] }

// add adds the id and reports whether it is new.
func (m *memory) add(id string) bool {
	if m.seen[id] {
		return false
	}
	if m.seen == nil {
		m.seen = make(map[string]bool)
	}
	m.seen[id] = true
	if len(m.order) < limitReported {
		m.order = append(m.order, id)
		return true
	}
	delete(m.seen, m.order[m.next])
	m.order[m.next] = id
	m.next = (m.next + 1) % limitReported
	return true
}

// Notice is used as the call id of questions that have none.
const Notice = "notification"
