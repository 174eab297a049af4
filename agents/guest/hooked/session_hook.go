package hooked

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
)

// Hook handles hook, which must be a *Hook. at is the hook's arrival time in Unix milliseconds.
func (s *Session) Hook(hook guest.Hook, at int64) (t guest.Updates) {
	h := hook.(*Hook)
	t.Changed = s.updateProfile(h.Cwd, h.Model)
	if h.Kind != Waiting && h.Kind != Permission && h.Kind != Present && !h.KeepsQuestions {
		s.answered(&t, h, at)
	}
	switch h.Kind {
	case SessionStart:
		s.start(&t, h, at)
	case SessionEnd:
		t.Ended = cmp.Or(guest.Name(h.Reason), "other")
		t.Add(s.Close(at, t.Ended))
		s.addEvidence(&t, status.Ended, h, at, "", "")
	case Prompt:
		s.prompt(&t, h, at)
	case ToolStart:
		s.ensureTurn(&t, h, at)
		id := cmp.Or(h.CallID, s.id("call", h, at))
		line := s.toolStart(&t, h.Call, id, at)
		s.addEvidence(&t, s.claim(contracts.HUDToolEnd, id, status.ToolStarted), h, at, id, line)
	case ToolEnd:
		s.toolEnd(&t, h, at)
	case Permission:
		s.ensureTurn(&t, h, at)
		h.CallID = s.askID(h, at)
		s.ask(&t, h, at, h.CallID, s.shown(h.Call).Label)
	case Waiting:
		s.ask(&t, h, at, guest.Notice, hud.Line(h.Text, contracts.LimitPreview))
	case TurnEnd:
		s.turnEnd(&t, h, at, status.TurnEnded, "")
	case TurnFailure:
		s.turnEnd(&t, h, at, status.TurnEnded, cmp.Or(h.Reason, "the turn failed"))
	case Interrupt:
		s.turnEnd(&t, h, at, status.Interrupted, interrupted)
	case Working:
		s.ensureTurn(&t, h, at)
		s.addEvidence(&t, status.Sign, h, at, "", hud.Line(h.Text, contracts.LimitPreview))
	case Said:
		s.ensureTurn(&t, h, at)
		s.said = h.Text
		s.addEvidence(&t, status.Sign, h, at, "", hud.Line(h.Text, contracts.LimitPreview))
	default:
		s.addEvidence(&t, status.Present, h, at, "", "")
	}
	return t
}

// addEvidence adds evidence from a hook.
func (s *Session) addEvidence(t *guest.Updates, claim status.Claim, h *Hook, at int64, call, line string) {
	says := h.Event
	if h.Call.Tool != "" {
		says += " " + h.Call.Tool
	}
	t.Evidence = append(t.Evidence, status.Evidence{Source: contracts.FromHook, Claim: claim, At: at, Says: says, Call: call, Line: line})
}

// ask reports a question for a person.
func (s *Session) ask(t *guest.Updates, h *Hook, at int64, id, line string) {
	if !slices.Contains(s.asked, id) {
		s.asked = append(s.asked, id)
	}
	s.addEvidence(t, status.Asked, h, at, id, line)
}

// answered handles a hook that shows that the agent has continued: it closes all open questions or,
// if h.Replied is set, only the question about that call. The end of a call that no question is
// about closes nothing.
func (s *Session) answered(t *guest.Updates, h *Hook, at int64) {
	if h.Kind == ToolEnd && !slices.Contains(s.asked, guest.Notice) && !slices.Contains(s.asked, cmp.Or(h.CallID, s.openCall(h.Call))) {
		return
	}
	s.asked = slices.DeleteFunc(s.asked, func(id string) bool {
		if h.Replied != "" && id != h.Replied {
			return false
		}
		s.addEvidence(t, status.Answered, h, at, id, "")
		t.EndedCalls = append(t.EndedCalls, id)
		return true
	})
}

// claim returns start, or status.Alive if the end of the turn or call is already known, so that a
// late hook does not make the agent busy again.
func (s *Session) claim(ended contracts.HUDEvent, correlation string, start status.Claim) status.Claim {
	if s.Reported(ended, correlation) {
		return status.Alive
	}
	return start
}

// id derives an id from a hook. A hook that arrives twice gets the same id both times if the vendor
// includes the time at which the hook was sent.
func (s *Session) id(what string, h *Hook, at int64) string {
	sent := cmp.Or(h.Sent, strconv.FormatInt(at, 10))
	return contracts.DerivedUUID(string(s.vendor), s.Source.Session, what, sent, h.Text, h.Call.Tool, string(h.Call.Args))
}

// ensureTurn starts the turn that a hook belongs to, unless the turn is already running.
func (s *Session) ensureTurn(t *guest.Updates, h *Hook, at int64) {
	switch {
	case h.Turn != "":
		if !s.Reported(contracts.HUDTurnEnd, h.Turn) {
			s.begin(t, h.Turn, "", at)
		}
	case s.turn == "":
		s.begin(t, s.id("turn", h, at), "", at)
	}
}

func (s *Session) start(t *guest.Updates, h *Hook, at int64) {
	s.addEvidence(t, status.Present, h, at, "", "")
	source := guest.Name(h.Source)
	if source == "compact" || source == "clear" { // the same conversation continues
		return
	}
	t.Add(s.GiveUp(at, hud.NoEnd)) // a new process does not continue earlier turns
	payload := hud.Value(map[string]string{"source": source, "place": s.profile.Place})
	switch source {
	case "resume":
		id := s.UUID(contracts.HUDReceived, "resume:"+s.id("resume", h, at))
		s.AddFact(t, hud.Received(s.Source, id, hud.SubtypeReconnect, "session resumed", payload), nil, at)
	default:
		id := s.UUID(contracts.HUDReceived, "new_session")
		s.AddFact(t, hud.Received(s.Source, id, hud.SubtypeNewSession, "session started", payload), nil, at)
	}
}

func (s *Session) prompt(t *guest.Updates, h *Hook, at int64) {
	if contracts.Blank(h.Text) {
		s.ensureTurn(t, h, at)
		s.addEvidence(t, status.Sign, h, at, "", "")
		return
	}
	turn := cmp.Or(h.Turn, s.id("turn", h, at))
	s.AddFact(t, hud.ReceivedMessage(s.Source, s.UUID(contracts.HUDReceived, "message:"+turn+":"+guest.ShortHash(h.Text)), h.Text), nil, at)
	s.begin(t, turn, h.Text, at)
	s.addEvidence(t, s.claim(contracts.HUDTurnEnd, turn, status.TurnStarted), h, at, "", hud.Line(h.Text, contracts.LimitPreview))
}

// turnEnd ends the current turn. If no turn is running, the hook only shows that the agent is idle.
func (s *Session) turnEnd(t *guest.Updates, h *Hook, at int64, claim status.Claim, failure string) {
	if h.Turn != "" && s.turn != "" && h.Turn != s.turn {
		s.addEvidence(t, status.Alive, h, at, "", "") // late: another turn is running now
		return
	}
	said := cmp.Or(h.Text, s.said)
	s.end(t, at, failure, said)
	s.addEvidence(t, claim, h, at, "", "")
	t.SetAnswer(said)
}
