package translate

import (
	"cmp"
	"slices"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
)

// Session is the Codex thread of a session or of one of its sub-agents. It implements
// guest.Session.
type Session struct {
	guest.Spans
	cfg     guest.Config
	id      string
	agent   string // the thread of a sub-agent; empty for the session itself
	profile contracts.AgentProfile

	turn             string              // the newest turn in the rollout file
	said             string              // the agent's newest message in the rollout file
	failure          string              // the newest error in the file; if nothing follows it, it ended the turn
	at               int64               // time of the newest line
	ended            map[string]*end     // turns whose end was reported while their calls were still open
	results          map[string]*callEnd // ends of calls that hooks have reported
	closingSince     int64               // when a hook reported the session's end while a turn or call was open, or 0
	turnBeforeRewind string              // the turn that was open before the file was read again
	prompts          int                 // number of turns without an id
	derived          string              // derived id of the newest turn, for older files, which have no turn ids

	recordsUsage bool // the file has a usage record for each response
}

// end is the reported end of a turn.
type end struct {
	at      int64
	said    string
	failure string
}

// callEnd is a hook's report that a call has ended. It lacks the exit code and the changed files,
// which are in the rollout file.
type callEnd struct {
	at     int64
	output string
}

// fileWait is how long, in milliseconds, Settle waits for the rollout file after the end of a call,
// a turn or a session has been reported. The file is written and read shortly after hooks arrive.
const fileWait = 3000

const interrupted = "interrupted by the user"

// NewSession returns the session with this id, or its sub-agent if agent is not empty.
func NewSession(id, agent string, cfg guest.Config) guest.Session {
	s := &Session{
		Spans: guest.NewSpans(Source, id, agent, cfg.Home), cfg: cfg, id: id, agent: agent,
		ended: map[string]*end{}, results: map[string]*callEnd{},
	}
	s.profile = contracts.AgentProfile{AgentID: s.Source.AgentID, Name: Label, Role: contracts.RoleGuest, Source: Source, Session: s.Source.Session}
	if agent != "" {
		s.profile.ParentID, s.profile.Name = guest.Source(Source).AgentID(id, ""), "Sub-agent"
	}
	return s
}

// Profile returns what is known of the agent's profile.
func (s *Session) Profile() contracts.AgentProfile { return s.profile }

// Restore adds a turn or call that was opened before a restart.
func (s *Session) Restore(o contracts.Opened) {
	s.Reopen(o)
	if o.HUD.Event == contracts.HUDTurnStart {
		s.turn = o.HUD.CorrelationID
	}
}

// NameSubagent names a sub-agent after its task, or after its kind if text is empty. It reports
// whether the name has changed.
func (s *Session) NameSubagent(kind, text string) (changed bool) {
	name := cmp.Or(hud.Line(text, contracts.LimitName), guest.Name(kind))
	if s.agent == "" || name == "" || name == s.profile.Name {
		return false
	}
	s.profile.Name = name
	return true
}

// Live returns nothing, because Codex has no state files.
func (s *Session) Live(guest.Live) guest.Updates { return guest.Updates{} }

// Busy reports whether a turn or call is open, or the session is closing.
func (s *Session) Busy() bool { return len(s.Open) > 0 || s.closingSince != 0 }

// Closing reports whether the session has ended but the rest of its file may not have been read
// yet.
func (s *Session) Closing() bool { return s.closingSince != 0 }

// updateProfile sets the directory and the model (empty values change nothing) and reports whether
// the profile has changed.
func (s *Session) updateProfile(dir, model string) (changed bool) {
	before := s.profile
	if dir = contracts.CleanText(dir); dir != "" {
		s.Source.Roots.Work = dir
		s.profile.Place = guest.Place(dir, s.cfg.Home)
		if s.agent == "" {
			s.profile.Name = guest.NameOf(dir, Label)
			s.findRepo(dir)
		}
	}
	if model = guest.Name(model); model != "" {
		s.profile.Model = model
	}
	return !s.profile.Equal(before)
}

// findRepo sets a session's repository only once, because agents change folders as they work.
func (s *Session) findRepo(dir string) {
	if s.cfg.Repo == nil || s.profile.Repo != "" {
		return
	}
	if path, ok := s.cfg.Repo(dir); ok {
		dir = path
	}
	s.profile.Repo = guest.AbbreviateHome(dir, s.cfg.Home)
}

// begin starts a turn and ends earlier turns that are still open, because Codex runs one turn at a
// time.
func (s *Session) begin(t *guest.Updates, turn, label string, at int64) {
	if turn == "" || s.Reported(contracts.HUDTurnStart, turn) {
		return
	}
	for _, o := range s.Opened() {
		if o.HUD.Event == contracts.HUDTurnStart && o.At <= at {
			s.finish(t, o.HUD.CorrelationID, at)
		}
	}
	s.AddFact(t, hud.TurnStart(s.Source, s.UUID(contracts.HUDTurnStart, turn), hud.Span{Correlation: turn}, label), nil, at)
}

// finish ends a turn and its open calls. The turn ends as reported, or as failed if its end was not
// reported.
func (s *Session) finish(t *guest.Updates, turn string, at int64) {
	e, known := s.ended[turn]
	if !known {
		e = &end{at: at, failure: hud.NoEnd}
	}
	delete(s.ended, turn)
	for _, o := range s.Opened() {
		if o.HUD.ParentID == turn {
			s.endCall(t, o, e)
		}
	}
	var from int64
	if o, ok := s.Open[turn]; ok {
		from = o.At
	}
	h := hud.TurnEnd(s.Source, s.UUID(contracts.HUDTurnEnd, turn), hud.Span{Correlation: turn}, guest.Elapsed(from, e.at), e.failure)
	h.Said = hud.Said(e.said)
	s.AddFact(t, h, nil, e.at)
}

// endCall ends a call with the result that a hook has reported, or as a failure.
func (s *Session) endCall(t *guest.Updates, o guest.Started, e *end) {
	id := o.HUD.CorrelationID
	if reported := s.results[id]; reported != nil {
		call := hud.Call{Tool: o.HUD.Tool, Args: o.HUD.Args}
		s.toolEnd(t, call, id, o.HUD.ParentID, reported.at, textResult(call, reported.output))
		return
	}
	failure := e.failure
	if failure == "" {
		failure = hud.NoEnd
	}
	s.CloseOne(t, o, e.at, failure)
}

// textResult returns the result of a call that returned only text. If the call ran a command, its
// exit code is unknown.
func textResult(call hud.Call, text string) hud.Result {
	if call.Tool == "exec" {
		return executed(call, text, nil, "")
	}
	return hud.TextResult(call, text)
}

// turnEnd stores the reported end of a turn and ends the turn once its calls have ended. Only the
// first report counts.
func (s *Session) turnEnd(t *guest.Updates, turn string, e end) {
	if turn == "" || s.Reported(contracts.HUDTurnEnd, turn) {
		return
	}
	if s.ended[turn] == nil {
		s.ended[turn] = &e
	}
	s.finishIfCallsEnded(t, turn)
}

// finishIfCallsEnded ends a turn whose end was reported, if none of its calls is open.
func (s *Session) finishIfCallsEnded(t *guest.Updates, turn string) {
	open := slices.ContainsFunc(s.Opened(), func(o guest.Started) bool { return o.HUD.ParentID == turn })
	if s.ended[turn] != nil && !open {
		s.finish(t, turn, s.ended[turn].at)
	}
}

// Settle ends turns and calls whose ends the rollout file has not reported in time.
func (s *Session) Settle(now int64) (t guest.Updates) {
	for _, o := range s.Opened() {
		if reported := s.results[o.HUD.CorrelationID]; reported != nil && now-reported.at >= fileWait {
			s.endCall(&t, o, nil)
		}
	}
	for _, o := range s.Opened() {
		if e := s.ended[o.HUD.CorrelationID]; e != nil && now-e.at >= fileWait {
			s.finish(&t, o.HUD.CorrelationID, now)
		}
	}
	if s.closingSince != 0 && now-s.closingSince >= fileWait {
		t.Add(s.GiveUp(s.closingSince, "the session ended"))
	}
	return t
}

// Close ends the session. Open turns and calls are left for Settle to end, because the rest of the
// file may still report their ends.
func (s *Session) Close(at int64, _ string) (t guest.Updates) {
	if len(s.Open) > 0 {
		s.closingSince = at
	}
	return t
}

// GiveUp ends all open turns and calls, because their ends will not be reported.
func (s *Session) GiveUp(at int64, reason string) (t guest.Updates) {
	for _, o := range s.Opened() {
		if turn := o.HUD.CorrelationID; s.ended[turn] != nil {
			s.finish(&t, turn, at)
		}
	}
	for _, o := range s.Opened() {
		if o.HUD.Event == contracts.HUDToolStart {
			s.endCall(&t, o, &end{at: at, failure: reason})
		}
	}
	s.CloseAll(&t, "", at, reason)
	s.closingSince = 0
	clear(s.ended)
	clear(s.results)
	return t
}

// Rewind prepares for rereading the file from the start.
func (s *Session) Rewind() {
	s.turnBeforeRewind, s.turn, s.said, s.failure, s.prompts, s.derived = s.turn, "", "", "", 0, ""
}

// RereadDone ends an open turn that is no longer in the file, because no later line will end that
// turn.
func (s *Session) RereadDone() (t guest.Updates) {
	if s.turnBeforeRewind != "" && s.turnBeforeRewind != s.turn {
		s.CloseAll(&t, s.turnBeforeRewind, s.at, hud.NoEnd)
	}
	s.turnBeforeRewind = ""
	return t
}

// toolStart reports the start of a call and returns its label.
func (s *Session) toolStart(t *guest.Updates, call hud.Call, id, turn string, at int64) (label string) {
	if id == "" {
		return ""
	}
	h := hud.ToolStart(s.Source, s.UUID(contracts.HUDToolStart, id), hud.Span{Correlation: id, Parent: turn}, call)
	s.AddFact(t, h, nil, at)
	return h.Label
}

// toolEnd reports the end of a call. If the call is open, its recorded start determines the turn
// and the duration.
func (s *Session) toolEnd(t *guest.Updates, call hud.Call, id, turn string, at int64, result hud.Result) {
	if id == "" {
		return
	}
	t.EndedCalls = append(t.EndedCalls, id)
	delete(s.results, id)
	if s.Reported(contracts.HUDToolEnd, id) {
		return
	}
	var from int64
	if o, ok := s.Open[id]; ok {
		from, turn = o.At, o.HUD.ParentID
	}
	h, whole := hud.ToolEnd(s.Source, s.UUID(contracts.HUDToolEnd, id), hud.Span{Correlation: id, Parent: turn}, call, result, guest.Elapsed(from, at))
	s.AddFact(t, h, whole, at)
	s.finishIfCallsEnded(t, turn)
}

// claim returns start, or status.Alive if the end is already known, so that a late report does not
// make the agent busy again.
func (s *Session) claim(ended contracts.HUDEvent, correlation string, start status.Claim) status.Claim {
	if s.Reported(ended, correlation) {
		return status.Alive
	}
	return start
}
