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
func (s *Session) Hook(h *Hook, at int64) (t Updates) {
	t.Changed = s.updateProfile(h.Cwd, guest.Text(h.Model))
	if s.agent != "" && s.profile.Name == "Sub-agent" && s.NameSubagent(h.AgentType, "") {
		t.Changed = true
	}
	handle := hookHandlers[h.Event]
	if handle == nil {
		s.addEvidence(&t, status.Present, h, at, "", "")
		return t
	}
	if s.asking && h.Event != "Notification" && h.Event != "PermissionRequest" {
		s.asking = false // the agent continued, so the question was answered in the terminal
		s.addEvidence(&t, status.Answered, h, at, guest.Notice, "")
	}
	s.endRestoredTurn(&t, h, at)
	handle(s, &t, h, at)
	s.hooks.at = max(s.hooks.at, at)
	return t
}

var hookHandlers = map[string]func(*Session, *Updates, *Hook, int64){
	"SessionStart":       (*Session).hookSessionStart,
	"SessionEnd":         (*Session).hookSessionEnd,
	"UserPromptSubmit":   (*Session).hookPrompt,
	"PreToolUse":         (*Session).hookToolStart,
	"PostToolUse":        (*Session).hookToolEnd,
	"PostToolUseFailure": (*Session).hookToolFailed,
	"PostToolBatch":      (*Session).hookBatch,
	"PermissionRequest":  (*Session).hookPermission,
	"PermissionDenied":   (*Session).hookDenied,
	"Notification":       (*Session).hookNotification,
	"MessageDisplay":     (*Session).hookDisplay,
	"Stop":               (*Session).hookStop,
	"StopFailure":        (*Session).hookStop,
	"SubagentStart":      (*Session).hookSubagentStart,
	"SubagentStop":       (*Session).hookSubagentStop,
	"PreCompact":         (*Session).hookPreCompact,
	"PostCompact":        (*Session).hookPostCompact,
	"TaskCreated":        (*Session).hookSign,
	"TaskCompleted":      (*Session).hookSign,
}

// addEvidence adds evidence from a hook.
func (s *Session) addEvidence(t *Updates, claim status.Claim, h *Hook, at int64, call, line string) {
	says := h.Event
	if h.Tool != "" {
		says += " " + h.Tool
	}
	e := evidence(contracts.FromHook, claim, at, says)
	e.Call, e.Line = call, line
	t.Evidence = append(t.Evidence, e)
}

func (s *Session) hookSessionStart(t *Updates, h *Hook, at int64) {
	s.resume(t)
	s.addEvidence(t, status.Present, h, at, "", "")
	source := guest.Name(h.Source)
	payload := hud.Value(map[string]string{"source": source, "place": s.profile.Place})
	switch source {
	case "compact": // the same conversation continues
		s.endCompaction(t, h, at)
	case "resume":
		id := s.UUID(contracts.HUDReceived, "resume:"+strconv.FormatInt(at, 10))
		s.AddFact(t, hud.Received(s.Source, id, hud.SubtypeReconnect, "session resumed", payload), nil, at)
	default:
		id := s.UUID(contracts.HUDReceived, "new_session")
		s.AddFact(t, hud.Received(s.Source, id, hud.SubtypeNewSession, "session started", payload), nil, at)
	}
}

func (s *Session) hookSessionEnd(t *Updates, h *Hook, at int64) {
	t.Ended = cmp.Or(guest.Name(guest.Text(h.Reason)), "other")
	t.Switched = switchesSession(t.Ended)
	t.Add(s.Close(at, t.Ended))
	s.addEvidence(t, status.Ended, h, at, "", "")
}

// resume ends the calls and turns that were still open when the session ended, because the session
// has been resumed.
func (s *Session) resume(t *Updates) {
	if s.closingSince != 0 {
		t.Add(s.closeNow())
	}
}

func (s *Session) hookPrompt(t *Updates, h *Hook, at int64) {
	s.resume(t)
	text := guest.Text(h.Prompt)
	id, p := s.promptID(&s.hooks, h.PromptID, text), promptOf(text)
	s.received(t, id, p, at)
	if !s.past(h) {
		s.begin(t, &s.hooks, s.turnID(id), p.text, at)
		s.stoppedAt = 0
	}
	s.addEvidence(t, s.startClaim(contracts.HUDTurnEnd, s.turnID(id), status.TurnStarted), h, at, "", hud.Line(p.text, contracts.LimitPreview))
}

// startClaim returns start, or status.Alive if the end is already known, so that a hook that arrives
// after a person pressed Esc does not make the agent busy again.
func (s *Session) startClaim(ended contracts.HUDEvent, correlation string, start status.Claim) status.Claim {
	if s.Reported(ended, correlation) {
		return status.Alive
	}
	return start
}

// past reports whether a hook belongs to an earlier turn, which has ended. Such a hook does not end
// the current turn: it reports a call that ran in the background, or it was sent again because
// Claude Code did not receive a response in time.
func (s *Session) past(h *Hook) bool {
	turn := s.turnID(h.PromptID)
	return turn != "" && turn != s.hooks.turn && s.Reported(contracts.HUDTurnEnd, turn)
}

// endRestoredTurn ends the turn that was open before a restart. It does not end the turn if h
// belongs to it, or if the turn is still current. A stored hook from another turn changes nothing.
func (s *Session) endRestoredTurn(t *Updates, h *Hook, at int64) {
	if s.restoredTurn == "" || h.Stored && s.turnID(h.PromptID) != s.restoredTurn {
		return
	}
	if turn := s.turnID(h.PromptID); turn != s.restoredTurn && s.hooks.turn != s.restoredTurn {
		s.CloseAll(t, s.restoredTurn, at, hud.NoEnd)
	}
	s.restoredTurn = ""
}

// ensureTurn returns the turn that a hook belongs to. It starts the turn if no earlier hook did.
func (s *Session) ensureTurn(t *Updates, h *Hook, at int64) string {
	turn := s.turnID(h.PromptID)
	switch {
	case s.past(h):
		return turn
	case turn != "":
		s.begin(t, &s.hooks, turn, "", at)
	}
	return s.hooks.turn
}

func (s *Session) hookToolStart(t *Updates, h *Hook, at int64) {
	turn := s.ensureTurn(t, h, at)
	line := s.toolStart(t, call{id: h.CallID, tool: h.Tool, input: h.Input, turn: turn, at: at})
	s.addEvidence(t, s.startClaim(contracts.HUDToolEnd, h.CallID, status.ToolStarted), h, at, h.CallID, line)
}

func (s *Session) hookToolEnd(t *Updates, h *Hook, at int64) {
	turn := s.ensureTurn(t, h, at)
	ms, _ := numberOf(h.DurationMS)
	s.toolEnd(t, call{id: h.CallID, tool: h.Tool, input: h.Input, turn: turn, at: at, took: milliseconds(ms)}, outcome{response: h.Response})
	s.addEvidence(t, status.ToolEnded, h, at, h.CallID, "")
}

func (s *Session) hookToolFailed(t *Updates, h *Hook, at int64) {
	turn := s.ensureTurn(t, h, at)
	ms, _ := numberOf(h.DurationMS)
	failure := cmp.Or(guest.Text(h.Error), "the tool failed")
	s.toolEnd(t, call{id: h.CallID, tool: h.Tool, input: h.Input, turn: turn, at: at, took: milliseconds(ms)}, outcome{failure: failure})
	s.addEvidence(t, status.ToolEnded, h, at, h.CallID, "")
	if h.IsInterrupt {
		s.interrupt(t, &s.hooks, at)
		s.addEvidence(t, status.Interrupted, h, at, "", "")
	}
}

// hookBatch ends the calls that only their batch's hook reports: denied calls, and calls to tools
// that do not exist. It skips calls that have already ended.
func (s *Session) hookBatch(t *Updates, h *Hook, at int64) {
	turn := s.ensureTurn(t, h, at)
	for _, b := range h.Batch {
		id := guest.Name(b.CallID)
		if id == "" || s.Reported(contracts.HUDToolEnd, id) {
			continue
		}
		c := call{id: id, tool: guest.Name(b.Tool), input: b.Input, turn: turn, at: at}
		s.toolStart(t, c)
		s.toolEnd(t, c, outcome{failure: ContentText(b.Response)})
		e := evidence(contracts.FromHook, status.ToolEnded, at, h.Event+" "+c.tool)
		e.Call = id
		t.Evidence = append(t.Evidence, e)
	}
}

func (s *Session) hookPermission(t *Updates, h *Hook, at int64) {
	s.ensureTurn(t, h, at)
	shown := hud.ToolStart(s.Source, "", hud.Span{}, officeCall(h.Tool, h.Input))
	s.addEvidence(t, status.Asked, h, at, s.CallIDOf(h), shown.Label)
}

func (s *Session) hookDenied(t *Updates, h *Hook, at int64) {
	turn := s.ensureTurn(t, h, at)
	reason := cmp.Or(guest.Text(h.Reason), "permission denied")
	s.toolEnd(t, call{id: h.CallID, tool: h.Tool, input: h.Input, turn: turn, at: at}, outcome{failure: reason})
	s.addEvidence(t, status.ToolEnded, h, at, h.CallID, "")
}

func (s *Session) hookNotification(t *Updates, h *Hook, at int64) {
	switch h.Notification {
	case "permission_prompt", "elicitation_dialog":
		s.asking = true
		s.addEvidence(t, status.Asked, h, at, guest.Notice, s.waitReason(guest.Text(h.Message)))
	case "idle_prompt":
		s.addEvidence(t, status.TurnEnded, h, at, "", "")
	default:
		s.addEvidence(t, status.Present, h, at, "", "")
	}
	t.Evidence[len(t.Evidence)-1].Says = "Notification " + guest.Name(h.Notification)
}

// waitReason describes why an agent is waiting for a person when there is no permission request: the
// label of the newest open call or, if no call is open, the given text.
func (s *Session) waitReason(says string) string {
	var last guest.Started
	for _, o := range s.Open {
		if o.HUD.Event == contracts.HUDToolStart && (last.HUD.Label == "" || o.At > last.At || o.At == last.At && o.HUD.CorrelationID > last.HUD.CorrelationID) {
			last = o
		}
	}
	switch {
	case last.HUD.Label == "":
		return hud.Line(says, contracts.LimitPreview)
	case last.HUD.Tool == ToolQuestion:
		return last.HUD.Label
	}
	return hud.Line("Waiting for permission: "+last.HUD.Label, contracts.LimitPreview)
}

func (s *Session) hookDisplay(t *Updates, h *Hook, at int64) {
	s.ensureTurn(t, h, at)
	if h.MessageID != "" {
		t.Deltas = append(t.Deltas, guest.Delta{Message: h.MessageID, Text: h.Delta, Final: h.Final})
	}
	s.addEvidence(t, status.Sign, h, at, "", "")
}

func (s *Session) hookStop(t *Updates, h *Hook, at int64) {
	if s.past(h) {
		s.addEvidence(t, status.Alive, h, at, "", "")
		return
	}
	s.ensureTurn(t, h, at)
	e := ending{at: at, said: guest.Text(h.LastMessage)}
	if h.Event == "StopFailure" {
		if e.failure, e.said = e.said, ""; e.failure == "" {
			e.failure = "the model failed: " + guest.Text(h.Error)
		}
	}
	s.stop(t, e)
	s.addEvidence(t, status.TurnEnded, h, at, "", "")
	t.SetAnswer(e.said)
}

func (s *Session) hookSubagentStart(t *Updates, h *Hook, at int64) {
	s.resume(t)
	if s.past(h) {
		s.addEvidence(t, status.Alive, h, at, "", "")
		return
	}
	s.begin(t, &s.hooks, s.turnID(h.PromptID), s.profile.Name, at)
	s.addEvidence(t, status.TurnStarted, h, at, "", s.profile.Name)
}

func (s *Session) hookSubagentStop(t *Updates, h *Hook, at int64) {
	if s.past(h) {
		s.addEvidence(t, status.Alive, h, at, "", "")
		return
	}
	s.ensureTurn(t, h, at)
	said := guest.Text(h.LastMessage)
	s.stop(t, ending{at: at, said: said})
	s.addEvidence(t, status.TurnEnded, h, at, "", "")
	t.SetAnswer(said)
	s.addEvidence(t, status.Ended, h, at, "", "")
}

func (s *Session) hookSign(t *Updates, h *Hook, at int64) {
	s.addEvidence(t, status.Sign, h, at, "", "")
}

func (s *Session) hookPreCompact(t *Updates, h *Hook, at int64) {
	s.compactTrigger = cmp.Or(guest.Name(h.Trigger), "auto")
	s.addEvidence(t, status.Sign, h, at, "", contracts.LineCompacting)
}

func (s *Session) hookPostCompact(t *Updates, h *Hook, at int64) {
	if s.compactTrigger == "" {
		s.hookSign(t, h, at)
		return
	}
	s.endCompaction(t, h, at)
}

// endCompaction ends the compaction that is running, if there is one. A compaction that a person
// started is not part of a turn, so the agent has nothing to do after it.
func (s *Session) endCompaction(t *Updates, h *Hook, at int64) {
	switch s.compactTrigger {
	case "":
		return
	case "manual":
		s.addEvidence(t, status.TurnEnded, h, at, "", "")
	default:
		s.addEvidence(t, status.Sign, h, at, "", "Compacted the conversation")
	}
	s.compactTrigger = ""
}

// interrupt ends a view's current turn and its calls, because a person stopped the turn.
func (s *Session) interrupt(t *Updates, v *view, at int64) {
	if v.turn == "" {
		return
	}
	v.over, v.ending = true, nil
	s.CloseAll(t, v.turn, at, interrupted)
	h := hud.TurnEnd(s.Source, s.UUID(contracts.HUDTurnEnd, v.turn), hud.Span{Correlation: v.turn}, 0, interrupted)
	s.AddFact(t, h, nil, at)
}
