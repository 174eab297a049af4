package translate

import (
	"cmp"
	"strconv"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
)

// Hook handles a hook and returns everything to report. at is the hook's arrival time in Unix
// milliseconds.
func (s *Session) Hook(hook guest.Hook, at int64) (t guest.Updates) {
	h := hook.(*Hook)
	t.Changed = s.updateProfile(h.Cwd, guest.Text(h.Model))
	switch h.Event {
	case sessionStart:
		s.hookSessionStart(&t, h, at)
	case sessionEnd:
		t.Ended = cmp.Or(guest.Name(guest.Text(h.Reason)), "other")
		t.Add(s.Close(at, t.Ended))
		s.addEvidence(&t, status.Ended, h, at, "", "")
	case promptSubmit:
		s.hookPrompt(&t, h, at)
	case preToolUse:
		s.begin(&t, h.Turn, "", at)
		line := s.toolStart(&t, officeCall(h.Tool, h.Input), h.CallID, h.Turn, at)
		s.addEvidence(&t, s.claim(contracts.HUDToolEnd, h.CallID, status.ToolStarted), h, at, h.CallID, line)
	case postToolUse:
		s.hookToolEnd(&t, h, at)
	case permissionRequest:
		s.begin(&t, h.Turn, "", at)
		shown := hud.ToolStart(s.Source, "", hud.Span{}, officeCall(h.Tool, h.Input))
		s.addEvidence(&t, status.Asked, h, at, s.callIDOf(h), shown.Label)
	case stop:
		said := guest.Text(h.LastMessage)
		s.turnEnd(&t, h.Turn, end{at: at, said: said})
		s.addEvidence(&t, status.TurnEnded, h, at, "", "")
		t.SetAnswer(said)
	case interrupt:
		s.turnEnd(&t, h.Turn, end{at: at, failure: interrupted})
		s.addEvidence(&t, status.Interrupted, h, at, "", "")
	case preCompact:
		s.addEvidence(&t, status.Sign, h, at, "", contracts.LineCompacting)
	case postCompact:
		s.addEvidence(&t, status.Sign, h, at, "", "")
	default:
		s.addEvidence(&t, status.Present, h, at, "", "")
	}
	return t
}

// addEvidence adds evidence from a hook.
func (s *Session) addEvidence(t *guest.Updates, claim status.Claim, h *Hook, at int64, call, line string) {
	says := h.Event
	if h.Tool != "" {
		says += " " + h.Tool
	}
	t.Evidence = append(t.Evidence, status.Evidence{Source: contracts.FromHook, Claim: claim, At: at, Says: says, Call: call, Line: line})
}

func (s *Session) hookSessionStart(t *guest.Updates, h *Hook, at int64) {
	if s.closingSince != 0 {
		t.Add(s.GiveUp(s.closingSince, "the session ended"))
	}
	s.addEvidence(t, status.Present, h, at, "", "")
	source := guest.Name(h.Source)
	payload := hud.Value(map[string]string{"source": source, "place": s.profile.Place})
	switch source {
	case "compact", "clear": // the same conversation continues
	case "resume":
		id := s.UUID(contracts.HUDReceived, "resume:"+strconv.FormatInt(at, 10))
		s.AddFact(t, hud.Received(s.Source, id, hud.SubtypeReconnect, "session resumed", payload), nil, at)
	default:
		id := s.UUID(contracts.HUDReceived, "new_session")
		s.AddFact(t, hud.Received(s.Source, id, hud.SubtypeNewSession, "session started", payload), nil, at)
	}
}

func (s *Session) hookPrompt(t *guest.Updates, h *Hook, at int64) {
	text := guest.Text(h.Prompt)
	s.received(t, h.Turn, text, at)
	s.begin(t, h.Turn, text, at)
	s.addEvidence(t, s.claim(contracts.HUDTurnEnd, h.Turn, status.TurnStarted), h, at, "", hud.Line(text, contracts.LimitPreview))
}

// received records a person's message. A person can add to a running turn, so a turn can have
// several messages.
func (s *Session) received(t *guest.Updates, turn, text string, at int64) {
	if turn == "" || contracts.Blank(text) {
		return
	}
	id := s.UUID(contracts.HUDReceived, "message:"+turn+":"+guest.ShortHash(text))
	s.AddFact(t, hud.ReceivedMessage(s.Source, id, text), nil, at)
}

// hookToolEnd stores a hook's report that a call has ended. The report lacks the exit code and the
// changed files, so the call stays open until the rollout file contains them or Settle ends it.
func (s *Session) hookToolEnd(t *guest.Updates, h *Hook, at int64) {
	s.begin(t, h.Turn, "", at)
	s.toolStart(t, officeCall(h.Tool, h.Input), h.CallID, h.Turn, at)
	if _, open := s.Open[h.CallID]; open {
		s.results[h.CallID] = &callEnd{at: at, output: cmp.Or(contentText(h.Response), guest.Text(h.Response))}
	}
	t.EndedCalls = append(t.EndedCalls, h.CallID)
	s.addEvidence(t, status.ToolEnded, h, at, h.CallID, "")
}
