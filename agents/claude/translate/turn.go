package translate

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

const (
	noEnd       = "no end was seen"
	interrupted = "interrupted by the user"
	stopped     = "stopped before it was done"
)

// turnID returns the correlation of a turn: the prompt's id. A sub-agent's turns are its own
// although they belong to the same prompt.
func (s *Session) turnID(prompt string) string {
	if prompt != "" && s.agent != "" {
		return s.agent + ":" + prompt
	}
	return prompt
}

// promptID identifies a prompt without an id by its text and by how often that text came before,
// which both sources count alike.
func (s *Session) promptID(v *view, given, text string) string {
	if given != "" {
		return given
	}
	text = strings.TrimSpace(text)
	if v.count == nil || len(v.count) > limitOpen {
		v.count = make(map[string]int)
	}
	key := short(text)
	v.count[key]++
	return contracts.DerivedUUID(Source, s.source.Session, "prompt", text, strconv.Itoa(v.count[key]))
}

// begin starts the turn of a prompt in a view, and closes the one before: no prompt is accepted
// while a turn runs, so its end was missed.
func (s *Session) begin(t *Told, v *view, turn, label string, at int64) {
	if turn == "" || turn == v.turn {
		return
	}
	if v.turn != "" {
		s.leave(t, v, at)
	}
	v.turn, v.over, v.ending, v.said = turn, false, nil, ""
	h := hud.TurnStart(s.source, s.uuid(contracts.HUDTurnStart, turn), hud.Span{Correlation: turn}, label)
	s.fact(t, h, nil, at)
}

// leave ends the current turn of a view because something else started.
func (s *Session) leave(t *Told, v *view, at int64) {
	switch {
	case v.ending != nil:
		s.closeCalls(t, v.turn, v.ending.at, noEnd)
		s.end(t, v, *v.ending)
	case v.over:
		s.closeAll(t, v.turn, at, noEnd)
	default:
		// What the other source ended is no longer open, so nothing is reported twice.
		s.closeAll(t, v.turn, at, noEnd)
		v.over = true
	}
}

// end closes the current turn of a view. Open calls stay open, because their ends may still arrive.
// A second end changes nothing.
func (s *Session) end(t *Told, v *view, e ending) {
	if v.turn == "" {
		return
	}
	v.over, v.ending = true, nil
	var from int64
	if o, ok := s.open[v.turn]; ok {
		from = o.at
	}
	h := hud.TurnEnd(s.source, s.uuid(contracts.HUDTurnEnd, v.turn), hud.Span{Correlation: v.turn}, span(from, e.at), e.failure)
	h.Said = hud.Said(e.said)
	s.fact(t, h, nil, e.at)
}

// stop ends the turn because a hook says so, once its calls have ended: ends that no hook reports
// are in the transcript.
func (s *Session) stop(t *Told, e ending) {
	s.stopped = e.at
	s.hooks.ending = cmp.Or(s.hooks.ending, &e)
	s.stopQuiet(t)
}

// stopQuiet ends a stopped turn once none of its calls is open.
func (s *Session) stopQuiet(t *Told) {
	e := s.hooks.ending
	if e == nil || slices.ContainsFunc(s.opened(), func(o started) bool { return o.hud.ParentID == s.hooks.turn }) {
		return
	}
	s.end(t, &s.hooks, *e)
}

// Close ends the session, with a reason. The rest of its transcript comes first; then what is open
// is given up. A session whose terminal continues as another one ends immediately, because nothing
// more is reported of it.
func (s *Session) Close(at int64, ended string) (t Told) {
	if s.closing = at; len(s.open) == 0 || Continues(ended) {
		return s.closeNow()
	}
	return t
}

// Continues reports whether the terminal of an ended session continues as another one.
func Continues(ended string) bool { return ended == "clear" || ended == "resume" }

// Closing reports whether the rest of the transcript is awaited.
func (s *Session) Closing() bool { return s.closing != 0 }

// closeNow ends the open turns and calls of an ended session.
func (s *Session) closeNow() Told { return s.GiveUp(s.closing, "the session ended") }

// received records a message of a person; the program's own notices are not messages.
func (s *Session) received(t *Told, id string, p prompt, at int64) {
	if p.person {
		s.fact(t, hud.ReceivedMessage(s.source, s.uuid(contracts.HUDReceived, "message:"+id), p.text), nil, at)
	}
}

// Settle handles the passing of time: a turn is over some time after its final message, and so are
// its calls without an end.
func (s *Session) Settle(now int64) (t Told) {
	if e := s.rows.ending; e != nil && now-max(e.at, s.rows.at) >= quiet {
		s.endRows(&t, *e)
	}
	if p := s.usage.pending; p != nil && now-s.rows.at >= quiet {
		s.usage.flush(&t)
	}
	if s.closing != 0 && now-s.closing >= late {
		t.Add(s.closeNow())
	}
	if s.stopped != 0 && now-s.stopped >= late {
		s.closeCalls(&t, s.hooks.turn, s.stopped, noEnd)
		s.stopQuiet(&t)
		s.stopped = 0
	}
	if s.resting != 0 && s.stopped == 0 && s.closing == 0 && now-s.resting >= 2*quiet { // hooks and rows know better, and come first
		s.endIdle(&t)
	}
	return t
}

// GiveUp ends everything that is open, because nothing more will be reported.
func (s *Session) GiveUp(at int64, reason string) (t Told) {
	s.usage.flush(&t)
	s.closeCalls(&t, s.hooks.turn, at, reason)
	s.stopQuiet(&t)
	s.closeAll(&t, "", at, reason)
	s.hooks.over, s.rows.over, s.rows.ending, s.stopped, s.closing = true, true, nil, 0, 0
	return t
}

// Rewind notes that the transcript is read from its start again.
func (s *Session) Rewind() {
	lost := s.rows.turn
	if s.rows.over || lost == "" {
		lost = s.rows.lost
	}
	s.rows, s.usage = view{lost: lost}, tally{}
}

// Reread notes that the transcript was read again to its end. A turn that is open and no longer in
// the transcript is closed here, because no later row will end it.
func (s *Session) Reread() (t Told) {
	if lost := s.rows.lost; lost != "" && lost != s.rows.turn && lost != s.hooks.turn {
		s.closeAll(&t, lost, s.rows.at, noEnd)
	}
	s.rows.lost = ""
	return t
}
