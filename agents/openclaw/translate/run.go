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
	seq     int64 // highest sequence number read so far
	started bool
	ended   bool
	since   int64 // start time, by the gateway's clock

	thoughts     int  // periods of thinking so far
	thinking     bool // the last period of thinking is open
	thoughtSince int64
	thoughtText  string // text of the last period of thinking, if it is kept
	answer       string // text of the newest message

	calls    map[string]*call
	open     []string       // calls without a result, in order
	idCounts map[string]int // number of times each call id was used; some models repeat ids
	seenAt   int64          // time of the last event, by the gateway's clock
}

func (s *session) busy() bool {
	for _, run := range s.runs {
		if run.started && !run.ended {
			return true
		}
	}
	return false
}

// run returns the run with this id, and adds it if it is new. If there are too many runs, it first
// drops the oldest run that is not in progress. If all runs are in progress, it drops the oldest.
func (s *session) run(id string) *run {
	if run := s.runs[id]; run != nil {
		return run
	}
	if len(s.order) >= contracts.LimitGatewayRuns {
		i := max(0, slices.IndexFunc(s.order, func(id string) bool { return s.runs[id].ended || !s.runs[id].started }))
		delete(s.runs, s.order[i])
		s.order = slices.Delete(s.order, i, i+1)
	}
	x := &run{id: id, calls: map[string]*call{}, idCounts: map[string]int{}}
	s.runs[id] = x
	s.order = append(s.order, id)
	return x
}

// mark is the time and origin that several facts share.
type mark struct {
	at     int64 // time by the gateway's clock
	replay bool
}

// on marks a fact as a replay if it comes from the history.
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

// begin records the start of the turn, unless it is already recorded. It is also called for later
// events, in case the start was missed.
func (r *Reader) begin(s *session, x *run, m mark) {
	if x.started {
		return
	}
	x.started, x.since, s.left = true, m.at, false
	r.joinAgent(s)
	label := cmp.Or(s.lastMessage, s.title, "a turn")
	h := hud.TurnStart(r.source(s), r.uuid(s, contracts.HUDTurnStart, x.id), hud.Span{Correlation: x.id}, label)
	r.addHUD(m.on(h), nil)
}

// joinAgent reports the profile of a session's agent.
func (r *Reader) joinAgent(s *session) {
	if s.helper {
		r.reportHelperProfile(s)
		return
	}
	r.reportProfile(r.agent(s.agentID))
}

// finish ends a turn together with its open thought and calls, unless the turn has already ended.
// An empty failure means success.
func (r *Reader) finish(s *session, x *run, m mark, failure string) {
	if !x.started || x.ended {
		return
	}
	r.endThought(s, x, m)
	for _, id := range slices.Clone(x.open) {
		reason := cmp.Or(failure, "the turn ended without a result for this call")
		if c := x.calls[id]; c.pending != nil || c.output != nil {
			r.endCall(s, x, c, m)
		} else {
			r.failCall(s, x, c, m, reason)
		}
	}
	x.ended, s.lastMessage = true, ""
	h := hud.TurnEnd(r.source(s), r.uuid(s, contracts.HUDTurnEnd, x.id), hud.Span{Correlation: x.id}, since(x.since, m.at), failure)
	if failure == "" {
		h.Said = hud.Said(x.answer)
	}
	r.addHUD(m.on(h), nil)
}

// keepText keeps only the newest text, because the gateway always sends the whole text of a
// message.
func (x *run) keepText(text string) {
	if text != "" {
		x.answer = hud.Cut(text, 2*contracts.LimitFinalAnswer)
	}
}

// think starts a period of thinking, unless one is already open.
func (r *Reader) think(s *session, x *run, m mark) {
	if x.thinking {
		return
	}
	x.thinking, x.thoughtSince, x.thoughtText = true, m.at, ""
	x.thoughts++
	h := hud.ThinkStart(r.source(s), r.uuid(s, contracts.HUDThinkStart, x.thought()), hud.Span{Correlation: r.thoughtID(s, x), Parent: x.id})
	r.addHUD(m.on(h), nil)
}

// endThought ends the open period of thinking. In a history, its duration is unknown.
func (r *Reader) endThought(s *session, x *run, m mark) {
	if !x.thinking {
		return
	}
	x.thinking = false
	span := hud.Span{Correlation: r.thoughtID(s, x), Parent: x.id}
	h := hud.Thought(r.source(s), r.uuid(s, contracts.HUDThinkEnd, x.thought()), span, since(x.thoughtSince, m.at), x.thoughtText)
	if m.replay {
		h.DurationMS = nil
	}
	r.addHUD(m.on(h), nil)
}

// keepThought keeps the thinking text if KeepThinking is set. The gateway always sends the whole
// text so far.
func (r *Reader) keepThought(x *run, text string) {
	if r.gateway.KeepThinking {
		x.thoughtText = hud.Cut(text, contracts.LimitHUDInline)
	}
}

// thought names the last period of thinking by its position in the run, because the stream and the
// history have no common id for it.
func (x *run) thought() string { return x.id + "/" + strconv.Itoa(x.thoughts) }

func (r *Reader) thoughtID(s *session, x *run) string {
	return contracts.DerivedUUID(r.gateway.session(""), s.key, "think", x.thought())
}

// reportStop reports the end of a turn, or only progress if another of the agent's sessions is still
// working.
func (r *Reader) reportStop(s *session, claim status.Claim, says, said string) {
	if len(r.Running(s.guestID)) > 0 {
		claim = status.Sign
	}
	r.addEvidence(s.guestID, claim, "", says, "")
	r.found[len(r.found)-1].Evidence.Said = hud.Line(said, contracts.LimitSnapshotText)
}
