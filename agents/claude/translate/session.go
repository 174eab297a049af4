package translate

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
)

// Session is one agent: a session of Claude Code, or one of its sub-agents. Hooks must arrive in
// order, and so must rows; how the two are interleaved does not matter. A Session is
// not safe for concurrent use.
type Session struct {
	guest.Spans
	cfg     Config
	id      string // session_id
	agent   string // agent_id of a sub-agent; empty for the session itself
	profile contracts.AgentProfile

	hooks view
	rows  view
	usage tally

	stoppedAt      int64  // when a hook reported the end of the turn
	closingSince   int64  // when a hook reported the end of the session; 0 unless a turn or call was still open
	asking         bool   // a question without an id is open
	compactTrigger string // trigger of the running compaction; empty if none is running
	idleSince      int64  // when the session's state file changed to idle; 0 if it is not idle, or once endIdle has ended what was open

	// restoredTurn is a turn that was open before a restart and that no hook has mentioned since.
	// Stored hooks from other turns do not end it, because they may be older and repeat recorded
	// activity.
	restoredTurn string
}

// view is the progress of one source: the hooks or the transcript. Each source has its own order,
// so a transcript that is read late does not change what newer hooks have reported.
type view struct {
	turn             string // correlation id of the source's current turn
	over             bool   // the source's current turn has ended
	turnBeforeRewind string // the turn that was current before the transcript was read again
	at               int64  // time of the last event
	said             string // text of the newest message
	saidIn           string // id of the newest message
	prompt           *Row   // a command, which counts as a prompt only if the agent answers it
	ending           *ending
	count            map[string]int // number of prompts without an id, by text
}

// ending describes how a turn ends: with an answer or with a failure.
type ending struct {
	at      int64
	failure string
	said    string
}

// quietPeriod is how long, in milliseconds, a session must be silent after a final message before
// its turn ends.
const quietPeriod = 2000

// maxRowDelay is the maximum delay in milliseconds between a hook and the transcript rows written
// about the same events. For some calls, such as blocked ones, only those rows report the end.
const maxRowDelay = 6000

// NewSession returns the session with this id, or its sub-agent if agent is not empty. At first,
// the profile contains only the identity.
func NewSession(id, agent string, cfg Config) *Session {
	s := &Session{
		Spans: guest.NewSpans(Source, id, agent, cfg.Home), cfg: cfg, id: id, agent: agent,
	}
	s.profile = contracts.AgentProfile{
		AgentID: s.Source.AgentID, Name: label, Role: contracts.RoleGuest, Source: Source, Session: s.Source.Session,
	}
	if agent != "" {
		s.profile.ParentID = AgentID(id, "")
		s.profile.Name = "Sub-agent"
	}
	return s
}

// Profile returns the known part of the agent's profile.
func (s *Session) Profile() contracts.AgentProfile { return s.profile }

// Busy reports whether a turn or call is open, or something still has to be reported: the end of a
// turn or of the session, or usage.
func (s *Session) Busy() bool {
	return len(s.Open) > 0 || s.rows.ending != nil || s.usage.pending != nil || s.closingSince != 0
}

// Restore adds a turn or call that was opened before a restart. Its start is not reported again,
// and it stays open until its end is reported. If it is a turn, hooks without a prompt id belong to
// it.
func (s *Session) Restore(o contracts.Opened) {
	s.Reopen(o)
	if o.HUD.Event == contracts.HUDTurnStart {
		s.hooks.turn, s.hooks.over = o.HUD.CorrelationID, false
		s.restoredTurn = o.HUD.CorrelationID
	}
}

// NameSubagent names a sub-agent after its task, or after its kind if description is empty. It
// reports whether the name has changed.
func (s *Session) NameSubagent(kind, description string) (changed bool) {
	label := hud.Line(description, contracts.LimitName)
	if label == "" {
		label = guest.Name(kind)
	}
	if s.agent == "" || label == "" || label == s.profile.Name {
		return false
	}
	s.profile.Name = label
	return true
}

// updateProfile sets the agent's directory and model (empty values change nothing) and reports
// whether the profile has changed.
func (s *Session) updateProfile(dir, model string) (changed bool) {
	before := s.profile
	if dir = contracts.CleanText(dir); dir != "" {
		s.Source.Roots.Work = dir
		s.profile.Place = guest.Place(dir, s.cfg.Home)
		if s.agent == "" {
			s.profile.Name = guest.NameOf(dir, label)
			s.findRepo(dir)
		}
	}
	if model = guest.Name(model); model != "" && model[0] != '<' { // "<synthetic>" is not a model
		s.profile.Model = model
	}
	return !s.profile.Equal(before)
}

// findRepo sets a session's repository only once, because agents change to other folders as they
// work.
func (s *Session) findRepo(dir string) {
	if s.cfg.Repo == nil || s.profile.Repo != "" {
		return
	}
	if path, ok := s.cfg.Repo(dir); ok {
		dir = path
	}
	s.profile.Repo = guest.AbbreviateHome(dir, s.cfg.Home)
}

func evidence(from contracts.EvidenceSource, claim status.Claim, at int64, says string) status.Evidence {
	return status.Evidence{Source: from, Claim: claim, At: at, Says: says}
}

// Call returns a Claude Code tool call with the office's names for the tool and its arguments.
func Call(tool string, input jsontext.Value) hud.Call { return officeCall(tool, input) }

// Result returns a call's result in the shape that its tool uses. It is a failure if failure is not
// empty; otherwise it is built from the tool's structured response or the text that the model
// received, either of which may be missing.
func Result(c hud.Call, response jsontext.Value, text, failure string) hud.Result {
	return result(c, outcome{response: response, text: text, failure: failure})
}

// Grants describes what the suggested rules would allow from now on, or returns "" if they cannot
// be described completely.
func Grants(suggestions jsontext.Value) string { return grants(suggestions) }
