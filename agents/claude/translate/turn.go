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

// turnID is the correlation of a turn: the prompt's id; a sub-agent's turns are
// its own although they belong to the same prompt.
func (s *Session) turnID(prompt string) string {
	if prompt != "" && s.agent != "" {
		return s.agent + ":" + prompt
	}
	return prompt
}

// promptID names a prompt that came without an id by its text and by how often
// that text came before, which both sources count alike.
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

// begin opens the turn of a prompt in a view, and closes the one before: no
// prompt is taken while a turn runs, so its end was not seen.
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

// leave ends the turn that a view is in because something else began.
func (s *Session) leave(t *Told, v *view, at int64) {
	switch {
	case v.ending != nil:
		s.closeCalls(t, v.turn, v.ending.at, noEnd)
		s.end(t, v, *v.ending)
	case v.over:
		s.closeAll(t, v.turn, at, noEnd)
	default:
		// What another source ended is not open any more, so nothing is said twice.
		s.closeAll(t, v.turn, at, noEnd)
		v.over = true
	}
}

// end closes the turn that a view is in; calls that are open stay open, because
// their ends may still be on the way. A second end changes nothing.
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

// stop ends the turn because a hook says so, once the calls in it have ended: what
// no hook tells of them is in the transcript.
func (s *Session) stop(t *Told, e ending) {
	s.stopped = e.at
	s.hooks.ending = cmp.Or(s.hooks.ending, &e)
	s.stopQuiet(t)
}

// stopQuiet ends a turn that is to end when no call in it is open.
func (s *Session) stopQuiet(t *Told) {
	e := s.hooks.ending
	if e == nil || slices.ContainsFunc(s.opened(), func(o started) bool { return o.hud.ParentID == s.hooks.turn }) {
		return
	}
	s.end(t, &s.hooks, *e)
}

// Part says that the session is over, and why. What its transcript still tells comes
// first; then what is open is given up. One whose terminal goes on as another session
// is left at once, so nothing more can be told of it.
func (s *Session) Part(at int64, ended string) (t Told) {
	if s.parting = at; len(s.open) == 0 || GoesOn(ended) {
		return s.part()
	}
	return t
}

// GoesOn reports an end of a session whose terminal goes on as another one.
func GoesOn(ended string) bool { return ended == "clear" || ended == "resume" }

// Parting reports whether the rest of the transcript is waited for.
func (s *Session) Parting() bool { return s.parting != 0 }

// part gives up what is open in a session that is over.
func (s *Session) part() Told { return s.GiveUp(s.parting, "the session ended") }

// received says that a person wrote something; the program's own notices are not
// messages.
func (s *Session) received(t *Told, id string, p prompt, at int64) {
	if p.person {
		s.fact(t, hud.ReceivedMessage(s.source, s.uuid(contracts.HUDReceived, "message:"+id), p.text), nil, at)
	}
}

// Settle lets time pass: a turn whose last words were said a while ago is over,
// and so are calls that nobody ended although their turn is.
func (s *Session) Settle(now int64) (t Told) {
	if e := s.rows.ending; e != nil && now-max(e.at, s.rows.at) >= quiet {
		s.endRows(&t, *e)
	}
	if p := s.usage.pending; p != nil && now-s.rows.at >= quiet {
		s.usage.flush(&t)
	}
	if s.parting != 0 && now-s.parting >= late {
		t.Add(s.part())
	}
	if s.stopped != 0 && now-s.stopped >= late {
		s.closeCalls(&t, s.hooks.turn, s.stopped, noEnd)
		s.stopQuiet(&t)
		s.stopped = 0
	}
	if s.resting != 0 && s.stopped == 0 && s.parting == 0 && now-s.resting >= 2*quiet { // hooks and rows know better, and come first
		s.rest(&t)
	}
	return t
}

// GiveUp ends everything that is open, because nothing more will be heard.
func (s *Session) GiveUp(at int64, reason string) (t Told) {
	s.usage.flush(&t)
	s.closeCalls(&t, s.hooks.turn, at, reason)
	s.stopQuiet(&t)
	s.closeAll(&t, "", at, reason)
	s.hooks.over, s.rows.over, s.rows.ending, s.stopped, s.parting = true, true, nil, 0, 0
	return t
}

// Rewind says that the transcript is read from its beginning again.
func (s *Session) Rewind() {
	lost := s.rows.turn
	if s.rows.over || lost == "" {
		lost = s.rows.lost
	}
	s.rows, s.usage = view{lost: lost}, tally{}
}

// Reread says that the end of it was reached. A turn that was open and is not in
// it any more will not be ended by it.
func (s *Session) Reread() (t Told) {
	if lost := s.rows.lost; lost != "" && lost != s.rows.turn && lost != s.hooks.turn {
		s.closeAll(&t, lost, s.rows.at, noEnd)
	}
	s.rows.lost = ""
	return t
}
