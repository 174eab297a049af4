package hooked

import (
	"cmp"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Session is a session of a program that reports through hooks. It implements guest.Session.
type Session struct {
	guest.Spans
	cfg     guest.Config
	vendor  guest.Source
	label   string
	profile contracts.AgentProfile

	turn             string   // the current turn; empty between turns
	said             string   // the agent's last message in this turn
	turnBeforeRewind string   // the turn that was open before Rewind
	asked            []string // questions that were open at the last hook
}

const interrupted = "interrupted by the user"

// New returns a function that creates a vendor's sessions, for guest.Vendor.NewSession. label is
// the vendor's display name. The sessions have no sub-agents.
func New(vendor guest.Source, label string) func(session, agent string, cfg guest.Config) guest.Session {
	return func(session, agent string, cfg guest.Config) guest.Session {
		s := &Session{Spans: guest.NewSpans(vendor, session, agent, cfg.Home), cfg: cfg, vendor: vendor, label: label}
		s.profile = contracts.AgentProfile{AgentID: s.Source.AgentID, Name: label, Role: contracts.RoleGuest, Source: string(vendor), Session: s.Source.Session}
		return s
	}
}

// Profile returns the known part of the agent's profile.
func (s *Session) Profile() contracts.AgentProfile { return s.profile }

// Restore adds a turn or call that was opened before a restart.
func (s *Session) Restore(o contracts.Opened) {
	s.Reopen(o)
	if o.HUD.Event == contracts.HUDTurnStart {
		s.turn = o.HUD.CorrelationID
	}
}

// NameSubagent returns false, because there are no sub-agents.
func (s *Session) NameSubagent(string, string) bool { return false }

// Row returns nothing: no files are read.
func (s *Session) Row(guest.Row) guest.Updates { return guest.Updates{} }

// Live returns nothing: no state files are read.
func (s *Session) Live(guest.Live) guest.Updates { return guest.Updates{} }

// Rewind prepares for rereading a file from the start, for vendors that translate the file's lines
// into hooks.
func (s *Session) Rewind() { s.turnBeforeRewind, s.turn = cmp.Or(s.turn, s.turnBeforeRewind), "" }

// RereadDone ends the turn that was open before Rewind if the file no longer contains that turn,
// because no later line will end it.
func (s *Session) RereadDone() (t guest.Updates) {
	if o, open := s.Open[s.turnBeforeRewind]; open && s.turnBeforeRewind != s.turn {
		s.CloseAll(&t, s.turnBeforeRewind, o.At, hud.NoEnd)
	}
	s.turnBeforeRewind = ""
	return t
}

// Busy reports whether a turn or call is open.
func (s *Session) Busy() bool { return len(s.Open) > 0 }

// Settle returns empty Updates, because hooks report everything immediately.
func (s *Session) Settle(int64) guest.Updates { return guest.Updates{} }

// Closing returns false, because Close ends open turns and calls immediately.
func (s *Session) Closing() bool { return false }

// Close ends the session and its open turns and calls.
func (s *Session) Close(at int64, _ string) guest.Updates { return s.GiveUp(at, "the session ended") }

// GiveUp ends all open turns and calls, because their ends will not be reported.
func (s *Session) GiveUp(at int64, reason string) (t guest.Updates) {
	s.CloseAll(&t, "", at, reason)
	s.turn = ""
	return t
}

// updateProfile sets the directory and the model (empty values change nothing) and reports whether the
// profile has changed.
func (s *Session) updateProfile(dir, model string) (changed bool) {
	before := s.profile
	if dir = contracts.CleanText(dir); dir != "" {
		s.Source.Roots.Work = dir
		s.profile.Place, s.profile.Name = guest.Place(dir, s.cfg.Home), guest.NameOf(dir, s.label)
		if s.cfg.Repo != nil && s.profile.Repo == "" {
			if path, ok := s.cfg.Repo(dir); ok {
				dir = path
			}
			s.profile.Repo = guest.AbbreviateHome(dir, s.cfg.Home)
		}
	}
	if model = guest.Name(model); model != "" {
		s.profile.Model = model
	}
	return !s.profile.Equal(before)
}

// begin starts a turn. If the end of the previous turn was not reported, begin ends that turn
// first.
func (s *Session) begin(t *guest.Updates, turn, label string, at int64) {
	if s.turn == turn {
		return
	}
	if s.turn != "" {
		s.end(t, at, hud.NoEnd, "")
	}
	if !s.Reported(contracts.HUDTurnEnd, turn) {
		s.turn, s.said = turn, ""
	}
	s.AddFact(t, hud.TurnStart(s.Source, s.UUID(contracts.HUDTurnStart, turn), hud.Span{Correlation: turn}, label), nil, at)
}

// end ends the current turn and its open calls.
func (s *Session) end(t *guest.Updates, at int64, failure, said string) {
	if s.turn == "" {
		return
	}
	calls := failure
	if calls == "" {
		calls = hud.NoEnd
	}
	s.CloseCalls(t, s.turn, at, calls)
	var from int64
	if o, ok := s.Open[s.turn]; ok {
		from = o.At
	}
	h := hud.TurnEnd(s.Source, s.UUID(contracts.HUDTurnEnd, s.turn), hud.Span{Correlation: s.turn}, guest.Elapsed(from, at), failure)
	h.Said = hud.Said(said)
	s.AddFact(t, h, nil, at)
	s.turn = ""
}
