package translate

import (
	"cmp"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/agents/guest/hooked"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
)

// Session is a session of Copilot CLI. It implements guest.Session. The embedded session records
// what the session file reports or, if there is no file, what hooks report.
type Session struct {
	*hooked.Session
	early *hooked.Session // what hooks report before the session file does; these facts are not recorded
	cfg   guest.Config
	id    string

	hasFile      bool   // the session writes a file, and the office reads it
	turn         string // the newest turn in the file
	said         string // the agent's newest message in the file
	final        bool   // the newest message has no tool calls, so it ends the turn
	at           int64  // time of the newest line
	closingSince int64  // when a hook reported the end of the session; 0 unless a turn or call was still open
}

// fileWait is how long, in milliseconds, a session that has ended waits for the rest of its file.
const fileWait = 3000

const ended = "the session ended"

// NewSession returns the session with this id. Sub-agents are part of it.
func NewSession(id, agent string, cfg guest.Config) guest.Session {
	create := hooked.New(Source, Label)
	return &Session{Session: create(id, agent, cfg).(*hooked.Session), early: create(id, agent, cfg).(*hooked.Session), cfg: cfg, id: id}
}

// Hook handles a *Hook. at is its arrival time in Unix milliseconds.
func (s *Session) Hook(hook guest.Hook, at int64) guest.Updates {
	h := hook.(*Hook)
	if s.hasFile = s.hasFile || h.HasFile; !s.hasFile {
		return s.Session.Hook(&h.Hook, at)
	}
	t := s.early.Hook(&h.Hook, at)
	t.Facts = nil
	for i := range t.Evidence {
		e := &t.Evidence[i]
		if e.Claim == status.ToolStarted || e.Claim == status.ToolEnded { // the file reports which call
			e.Claim, e.Call = status.Sign, ""
		}
	}
	t.Changed = s.Session.Hook(&hooked.Hook{Cwd: h.Cwd}, at).Changed
	if h.Kind == hooked.SessionStart {
		s.closingSince = 0
	}
	if h.Kind == hooked.SessionEnd && s.Session.Busy() {
		s.closingSince = at
	}
	return t
}

// Asks returns the decision that a permission request needs.
func (s *Session) Asks(hook guest.Hook, expiresAt int64) []contracts.AskSeen {
	h := &hook.(*Hook).Hook
	if s.hasFile {
		return s.early.Asks(h, expiresAt)
	}
	return s.Session.Asks(h, expiresAt)
}

// Busy reports whether a turn or call is open, or the session is closing.
func (s *Session) Busy() bool { return s.Session.Busy() || s.closingSince != 0 }

// Closing reports whether the session has ended but the rest of its file may not have been read
// yet.
func (s *Session) Closing() bool { return s.closingSince != 0 }

// Settle ends a session whose file has not reported the end in time.
func (s *Session) Settle(now int64) (t guest.Updates) {
	if s.closingSince != 0 && now-s.closingSince >= fileWait {
		return s.GiveUp(s.closingSince, ended)
	}
	return t
}

// Close ends the session.
func (s *Session) Close(at int64, _ string) guest.Updates { return s.GiveUp(at, ended) }

// GiveUp ends all open turns and calls, because their ends will not be reported.
func (s *Session) GiveUp(at int64, reason string) guest.Updates {
	s.closingSince = 0
	s.early.GiveUp(at, reason)
	return s.Session.GiveUp(at, reason)
}

// Rewind prepares for rereading the file from the start.
func (s *Session) Rewind() {
	s.Session.Rewind()
	s.turn, s.said, s.final = "", "", false
}

// used reports the usage of one response. Copilot CLI counts premium requests, not money, so the
// cost is an estimate.
func (s *Session) used(t *guest.Updates, r *Row, at int64) {
	u := r.Data.Usage
	if u == nil || r.ID == "" {
		return
	}
	read, write := tokens(u.CacheRead), tokens(u.CacheWrite)
	seen := contracts.UsageSeen{
		Key: Source + "/" + s.id + "/" + r.ID, AgentID: s.Source.AgentID, TurnID: s.turn,
		Usage: contracts.Usage{
			Model:    cmp.Or(guest.Name(u.Model), s.Profile().Model),
			TokensIn: max(tokens(u.In)-read-write, 0), TokensOut: tokens(u.Out), CacheRead: read, CacheWrite: write, At: at,
		},
	}
	if s.cfg.Price != nil {
		if cost, ok := s.cfg.Price(seen.Usage, 0); ok {
			seen.Usage.CostUSD, seen.Usage.Listed = &cost, true
		}
	}
	t.Usage = append(t.Usage, seen)
}
