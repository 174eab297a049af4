package translate

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
)

// run is one turn of a session.
type run struct {
	id      string
	seq     int64 // the highest that was read
	started bool
	ended   bool
	since   int64 // by the gateway's clock

	thoughts   int  // stretches of thinking so far
	thinking   bool // the last of them goes on
	thoughtFor int64
	thoughtOf  string // its text, when that is kept
	answer     string // the text of its newest message

	calls  map[string]*call
	open   []string       // calls that have no result, in order
	named  map[string]int // how often a call id was used: some models repeat them
	seenAt int64          // of the last event, by the gateway's clock
}

func (s *session) busy() bool {
	for _, run := range s.runs {
		if run.started && !run.ended {
			return true
		}
	}
	return false
}

// run finds a run, or begins to know it. The oldest that is over makes room.
func (s *session) run(id string) *run {
	if run := s.runs[id]; run != nil {
		return run
	}
	if len(s.order) >= contracts.LimitGatewayRuns {
		i := max(0, slices.IndexFunc(s.order, func(id string) bool { return s.runs[id].ended || !s.runs[id].started }))
		delete(s.runs, s.order[i])
		s.order = slices.Delete(s.order, i, i+1)
	}
	x := &run{id: id, calls: map[string]*call{}, named: map[string]int{}}
	s.runs[id] = x
	s.order = append(s.order, id)
	return x
}

// mark is what all facts of one moment share.
type mark struct {
	at     int64 // by the gateway's clock
	replay bool
}

// on makes a fact one of history where it is.
func (m mark) on(h contracts.HUD) contracts.HUD {
	if m.replay {
		h.Replay, h.At = true, m.at
	}
	return h
}

func since(from, to int64) time.Duration {
	if from <= 0 || to < from {
		return 0
	}
	return time.Duration(to-from) * time.Millisecond
}

// begin opens the turn once, also when nobody saw its start.
func (r *Reader) begin(s *session, x *run, m mark) {
	if x.started {
		return
	}
	x.started, x.since, s.left = true, m.at, false
	r.arrive(s)
	label := cmp.Or(s.said, s.title, "a turn")
	h := hud.TurnStart(r.source(s), r.uuid(s, contracts.HUDTurnStart, x.id), hud.Span{Correlation: x.id}, label)
	r.hud(m.on(h), nil)
}

// arrive lets in whoever a session belongs to.
func (r *Reader) arrive(s *session) {
	if s.helper {
		r.introduceHelper(s)
		return
	}
	r.introduce(r.agent(s.agentID))
}

// finish closes whatever is open, then the turn, once. An empty failure means
// that it went well.
func (r *Reader) finish(s *session, x *run, m mark, failure string) {
	if !x.started || x.ended {
		return
	}
	r.endThought(s, x, m)
	for _, id := range slices.Clone(x.open) {
		reason := cmp.Or(failure, "the turn ended without a result of this call")
		if c := x.calls[id]; c.held != nil || c.output != nil {
			r.endCall(s, x, c, m)
		} else {
			r.failCall(s, x, c, m, reason)
		}
	}
	x.ended, s.said = true, ""
	h := hud.TurnEnd(r.source(s), r.uuid(s, contracts.HUDTurnEnd, x.id), hud.Span{Correlation: x.id}, since(x.since, m.at), failure)
	if failure == "" {
		h.Said = hud.Said(x.answer)
	}
	r.hud(m.on(h), nil)
}

// hear keeps the text of the newest message. The gateway sends it from its beginning
// each time.
func (x *run) hear(text string) {
	if text != "" {
		x.answer = hud.Cut(text, 2*contracts.LimitSaid)
	}
}

// think opens a stretch of thinking, unless one goes on.
func (r *Reader) think(s *session, x *run, m mark) {
	if x.thinking {
		return
	}
	x.thinking, x.thoughtFor, x.thoughtOf = true, m.at, ""
	x.thoughts++
	h := hud.ThinkStart(r.source(s), r.uuid(s, contracts.HUDThinkStart, x.thought()), hud.Span{Correlation: r.thoughtID(s, x), Parent: x.id})
	r.hud(m.on(h), nil)
}

// endThought closes the stretch of thinking that goes on. How long a stretch of
// history took is not known.
func (r *Reader) endThought(s *session, x *run, m mark) {
	if !x.thinking {
		return
	}
	x.thinking = false
	span := hud.Span{Correlation: r.thoughtID(s, x), Parent: x.id}
	h := hud.Thought(r.source(s), r.uuid(s, contracts.HUDThinkEnd, x.thought()), span, since(x.thoughtFor, m.at), x.thoughtOf)
	if m.replay {
		h.DurationMS = nil
	}
	r.hud(m.on(h), nil)
}

// keepThought notes what the agent thinks, when that is kept. The gateway sends the
// text from its beginning each time.
func (r *Reader) keepThought(x *run, text string) {
	if r.gateway.KeepThinking {
		x.thoughtOf = hud.Cut(text, contracts.LimitHUDInline)
	}
}

// thought names a stretch of thinking by its place in the run: the stream and the
// history have no common id for it.
func (x *run) thought() string { return x.id + "/" + strconv.Itoa(x.thoughts) }

func (r *Reader) thoughtID(s *session, x *run) string {
	return contracts.DerivedUUID(r.gateway.session(""), s.key, "think", x.thought())
}

// stopped says that a turn is over, for the agent as a whole: while another of its
// sessions works, so does it.
func (r *Reader) stopped(s *session, claim status.Claim, says, said string) {
	if len(r.Running(s.person)) > 0 {
		claim = status.Sign
	}
	r.witness(s.person, claim, "", says, "")
	r.found[len(r.found)-1].Evidence.Said = hud.Line(said, contracts.LimitSnapshotText)
}
