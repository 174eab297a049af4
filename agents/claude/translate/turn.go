package translate

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

const (
	interrupted = "interrupted by the user"
	stopped     = "stopped before it finished"
)

// turnID returns a turn's correlation id, which is the prompt's id. In a sub-agent, it is prefixed
// with the sub-agent's id, because a sub-agent's turns have the prompt id of the session's turn.
func (s *Session) turnID(prompt string) string {
	if prompt != "" && s.agent != "" {
		return s.agent + ":" + prompt
	}
	return prompt
}

// promptID returns the given id of a prompt. If there is none, it derives an id from the text and
// the number of times that the text has occurred, so that hooks and the transcript produce the same
// id.
func (s *Session) promptID(v *view, given, text string) string {
	if given != "" {
		return given
	}
	text = strings.TrimSpace(text)
	if v.count == nil || len(v.count) > guest.LimitOpen {
		v.count = make(map[string]int)
	}
	key := guest.ShortHash(text)
	v.count[key]++
	return contracts.DerivedUUID(Source, s.Source.Session, "prompt", text, strconv.Itoa(v.count[key]))
}

// begin starts a turn in a view and ends the previous one. Claude Code accepts no prompt while a
// turn is running, so the end of the previous turn must have been missed.
func (s *Session) begin(t *Updates, v *view, turn, label string, at int64) {
	if turn == "" || turn == v.turn {
		return
	}
	if v.turn != "" && (v != &s.hooks || v.turn != s.restoredTurn) {
		s.supersede(t, v, at)
	}
	v.turn, v.over, v.ending, v.said = turn, false, nil, ""
	h := hud.TurnStart(s.Source, s.UUID(contracts.HUDTurnStart, turn), hud.Span{Correlation: turn}, label)
	s.AddFact(t, h, nil, at)
}

// supersede ends a view's current turn because another turn is starting.
func (s *Session) supersede(t *Updates, v *view, at int64) {
	switch {
	case v.ending != nil:
		s.CloseCalls(t, v.turn, v.ending.at, hud.NoEnd)
		s.end(t, v, *v.ending)
	case v.over:
		s.CloseAll(t, v.turn, at, hud.NoEnd)
	default:
		// Calls that the other source ended are no longer open, so nothing is reported twice.
		s.CloseAll(t, v.turn, at, hud.NoEnd)
		v.over = true
	}
}

// end ends a view's current turn. Its open calls stay open, because their ends may still arrive.
// Ending a turn again changes nothing.
func (s *Session) end(t *Updates, v *view, e ending) {
	if v.turn == "" {
		return
	}
	v.over, v.ending = true, nil
	var from int64
	if o, ok := s.Open[v.turn]; ok {
		from = o.At
	}
	h := hud.TurnEnd(s.Source, s.UUID(contracts.HUDTurnEnd, v.turn), hud.Span{Correlation: v.turn}, guest.Elapsed(from, e.at), e.failure)
	h.Said = hud.Said(e.said)
	s.AddFact(t, h, nil, e.at)
}

// stop ends the current turn once all its calls have ended. It waits for the calls because the
// transcript may still report the end of a call that no hook reports.
func (s *Session) stop(t *Updates, e ending) {
	s.stoppedAt = e.at
	s.hooks.ending = cmp.Or(s.hooks.ending, &e)
	s.endIfCallsEnded(t)
}

// endIfCallsEnded ends a stopped turn once all its calls have ended.
func (s *Session) endIfCallsEnded(t *Updates) {
	e := s.hooks.ending
	if e == nil || slices.ContainsFunc(s.Opened(), func(o guest.Started) bool { return o.HUD.ParentID == s.hooks.turn }) {
		return
	}
	s.end(t, &s.hooks, *e)
}

// Close ends the session; ended is the reason. Open turns and calls stay open until the rest of the
// transcript has been read. If the terminal continues with another session, open turns and calls
// end immediately, because nothing more is reported about this session.
func (s *Session) Close(at int64, ended string) (t Updates) {
	if s.closingSince = at; len(s.Open) == 0 || switchesSession(ended) {
		return s.closeNow()
	}
	return t
}

// switchesSession reports whether a session ended because its terminal switched to another session.
func switchesSession(ended string) bool { return ended == "clear" || ended == "resume" }

// Closing reports whether the session has ended but the rest of its transcript has not been read
// yet.
func (s *Session) Closing() bool { return s.closingSince != 0 }

// closeNow ends the open turns and calls of an ended session.
func (s *Session) closeNow() Updates { return s.GiveUp(s.closingSince, "the session ended") }

// received records a person's message; notices from the program are not recorded.
func (s *Session) received(t *Updates, id string, p prompt, at int64) {
	if p.person {
		s.AddFact(t, hud.ReceivedMessage(s.Source, s.UUID(contracts.HUDReceived, "message:"+id), p.text), nil, at)
	}
}

// Settle reports everything that is due by the given time: it ends turns whose final message was
// written some time ago, together with their open calls, and reports pending usage.
func (s *Session) Settle(now int64) (t Updates) {
	if e := s.rows.ending; e != nil && now-max(e.at, s.rows.at) >= quietPeriod {
		s.endRows(&t, *e)
	}
	if p := s.usage.pending; p != nil && now-s.rows.at >= quietPeriod {
		s.usage.flush(&t)
	}
	if s.closingSince != 0 && now-s.closingSince >= maxRowDelay {
		t.Add(s.closeNow())
	}
	if s.stoppedAt != 0 && now-s.stoppedAt >= maxRowDelay {
		s.CloseCalls(&t, s.hooks.turn, s.stoppedAt, hud.NoEnd)
		s.endIfCallsEnded(&t)
		s.stoppedAt = 0
	}
	// The state file takes effect only after a longer delay, because hooks and rows are more reliable.
	if s.idleSince != 0 && s.stoppedAt == 0 && s.closingSince == 0 && now-s.idleSince >= 2*quietPeriod {
		s.endIdle(&t)
	}
	return t
}

// GiveUp ends all open turns and calls, because their ends will not be reported.
func (s *Session) GiveUp(at int64, reason string) (t Updates) {
	s.usage.flush(&t)
	s.CloseCalls(&t, s.hooks.turn, at, reason)
	s.endIfCallsEnded(&t)
	s.CloseAll(&t, "", at, reason)
	s.hooks.over, s.rows.over, s.rows.ending, s.stoppedAt, s.closingSince = true, true, nil, 0, 0
	return t
}

// Rewind prepares for rereading the transcript from the start.
func (s *Session) Rewind() {
	turn := s.rows.turn
	if s.rows.over || turn == "" {
		turn = s.rows.turnBeforeRewind
	}
	s.rows, s.usage = view{turnBeforeRewind: turn}, tally{}
}

// RereadDone must be called after the transcript has been reread to its end. It ends an open turn
// that is no longer in the transcript, because no later row will end that turn.
func (s *Session) RereadDone() (t Updates) {
	if turn := s.rows.turnBeforeRewind; turn != "" && turn != s.rows.turn && turn != s.hooks.turn {
		s.CloseAll(&t, turn, s.rows.at, hud.NoEnd)
	}
	s.rows.turnBeforeRewind = ""
	return t
}
