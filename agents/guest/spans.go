package guest

import (
	"maps"
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Spans tracks an agent's open turns and calls and the ids of the facts that were reported. It is not
// safe for concurrent use.
type Spans struct {
	Source hud.Source         // the agent, and the directories that its paths are shown relative to
	Open   map[string]Started // turns, thoughts and calls that have not ended, by correlation

	vendor   Source
	reported memory
}

// NewSpans returns the spans of a session, or of its sub-agent if agent is set.
func NewSpans(vendor Source, session, agent, home string) Spans {
	return Spans{
		vendor: vendor, Open: make(map[string]Started),
		Source: hud.Source{AgentID: vendor.AgentID(session, agent), Session: vendor.SessionName(session, agent), Roots: hud.RootsAt("", home)},
	}
}

// Started is a turn, thought or tool call that has not ended.
type Started struct {
	HUD contracts.HUD
	At  int64
}

// LimitOpen is the maximum number of open turns and calls per agent.
const LimitOpen = 256

// UUID derives a fact's id from its session, event and correlation, so that the same fact always
// gets the same id.
func (s *Spans) UUID(event contracts.HUDEvent, correlation string) string {
	return contracts.DerivedUUID(string(s.vendor), s.Source.Session, string(event), correlation)
}

// Reported reports whether the fact with this event and correlation has been reported.
func (s *Spans) Reported(event contracts.HUDEvent, correlation string) bool {
	return s.reported.has(s.UUID(event, correlation))
}

// Reopen adds a turn or call that was opened before a restart. Its start is not reported again.
func (s *Spans) Reopen(o contracts.Opened) {
	s.reported.add(s.UUID(o.HUD.Event, o.HUD.CorrelationID))
	s.track(o.HUD, o.TS)
}

// AddFact adds a fact to u unless it was reported before.
func (s *Spans) AddFact(u *Updates, h contracts.HUD, whole []byte, at int64) {
	if !s.reported.add(h.UUID) {
		return
	}
	h.At = at
	s.track(h, at)
	u.Facts = append(u.Facts, Fact{HUD: h, Whole: whole})
}

// track updates the open turns and calls. A start whose end is already known opens nothing.
func (s *Spans) track(h contracts.HUD, at int64) {
	switch h.Event {
	case contracts.HUDTurnStart, contracts.HUDThinkStart, contracts.HUDToolStart:
		if s.Reported(endOf[h.Event], h.CorrelationID) || len(s.Open) >= LimitOpen {
			return
		}
		s.Open[h.CorrelationID] = Started{h, at}
	case contracts.HUDTurnEnd, contracts.HUDThinkEnd, contracts.HUDToolEnd:
		delete(s.Open, h.CorrelationID)
	}
}

var endOf = map[contracts.HUDEvent]contracts.HUDEvent{
	contracts.HUDTurnStart:  contracts.HUDTurnEnd,
	contracts.HUDThinkStart: contracts.HUDThinkEnd,
	contracts.HUDToolStart:  contracts.HUDToolEnd,
}

// CloseAll ends a turn and its calls, or all turns and calls if turn is empty. Calls end before
// turns.
func (s *Spans) CloseAll(u *Updates, turn string, at int64, failure string) {
	for _, o := range s.Opened() {
		if turn != "" && o.HUD.ParentID != turn && o.HUD.CorrelationID != turn {
			continue
		}
		s.CloseOne(u, o, at, failure)
	}
}

// CloseCalls ends a turn's open calls and thoughts, but not the turn.
func (s *Spans) CloseCalls(u *Updates, turn string, at int64, failure string) {
	for _, o := range s.Opened() {
		if turn != "" && o.HUD.ParentID == turn {
			s.CloseOne(u, o, at, failure)
		}
	}
}

// Opened returns the open turns and calls in the order in which they must end.
func (s *Spans) Opened() []Started {
	return slices.SortedFunc(maps.Values(s.Open), func(a, b Started) int {
		if inner := b.HUD.ParentID != ""; inner != (a.HUD.ParentID != "") {
			if inner {
				return 1
			}
			return -1
		}
		return int(a.At - b.At)
	})
}

// CloseOne ends one turn or call.
func (s *Spans) CloseOne(u *Updates, o Started, at int64, failure string) {
	id := s.UUID(endOf[o.HUD.Event], o.HUD.CorrelationID)
	if end, ok := hud.EndOf(o.HUD, id, Elapsed(o.At, at), failure, s.Source.Roots); ok {
		s.AddFact(u, end, nil, at)
	}
	delete(s.Open, o.HUD.CorrelationID)
	if o.HUD.Event == contracts.HUDToolStart {
		u.EndedCalls = append(u.EndedCalls, o.HUD.CorrelationID)
	}
}

// Elapsed returns the time between two Unix times in milliseconds, or 0 if the first is unknown or the
// second is not later.
func Elapsed(from, to int64) time.Duration {
	if from <= 0 || to <= from {
		return 0
	}
	return time.Duration(to-from) * time.Millisecond
}
