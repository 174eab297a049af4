package translate

import (
	"cmp"
	"math"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/agents/guest/hooked"
	"github.com/bullpen-office/bullpen/contracts"
)

// Session is an OpenCode session. It implements guest.Session. A session that another session
// started is a separate guest.
type Session struct {
	*hooked.Session
	cfg    guest.Config
	id     string
	prompt string            // id of the person's newest message
	dir    string            // the session's directory, which may differ from its process's directory; empty if unknown
	asks   map[string]string // tool call of each open permission request, by request id
}

// NewSession returns a new session with the given id.
func NewSession(id, agent string, cfg guest.Config) guest.Session {
	return &Session{Session: hooked.New(Source, Label)(id, agent, cfg).(*hooked.Session), cfg: cfg, id: id, asks: map[string]string{}}
}

// Hook handles a *Hook. at is its arrival time in Unix milliseconds.
func (s *Session) Hook(hook guest.Hook, at int64) guest.Updates {
	h := *hook.(*Hook)
	if h.Event == survey {
		return s.surveyed(&h, at)
	}
	s.dir = cmp.Or(h.p.Info.Directory, s.dir)
	h.Cwd = cmp.Or(s.dir, h.Cwd)
	switch {
	case h.Event == "message.updated" && h.p.Info.Role == "user":
		s.prompt = h.p.Info.ID
	case h.Event == "message.part.updated" && h.p.Part.Type == "text":
		s.text(&h)
	case h.CallID != "" && s.Reported(contracts.HUDToolEnd, h.CallID): // late: the call ended with its turn
		h.Kind = hooked.Present
	}
	if !s.Busy() && (h.Kind == hooked.Working || h.Kind == hooked.Said || h.Kind == hooked.ToolEnd) { // late: the turn is over
		h.Kind = hooked.Present
	}
	if h.Event == "permission.replied" {
		h.Replied = s.asks[h.p.Request]
		delete(s.asks, h.p.Request)
	}
	t := s.Session.Hook(&h.Hook, at)
	if h.Kind == hooked.Permission {
		hook.(*Hook).CallID = h.CallID
		s.asks[h.p.ID] = h.CallID
	}
	if !s.Busy() {
		clear(s.asks)
	}
	s.reportUsage(&t, &h, at)
	return t
}

// states contains the state of package guest for each known state from OpenCode's server; other
// states are ignored.
var states = map[string]guest.State{"busy": guest.StateBusy, "retry": guest.StateBusy, "idle": guest.StateIdle}

// surveyed returns the session's status on OpenCode's server as evidence.
func (s *Session) surveyed(h *Hook, at int64) (t guest.Updates) {
	r := guest.Report{Session: s.id, State: states[h.p.Status.Type], Program: "opencode session status"}
	if e, ok := r.Evidence(at); ok {
		t.Evidence = append(t.Evidence, e)
	}
	return t
}

// text handles a piece of text: a person's prompt, or something that the agent said.
func (s *Session) text(h *Hook) {
	part, text := &h.p.Part, guest.Text(h.p.Part.Text)
	switch {
	case part.Message != s.prompt:
		h.Kind, h.Text, h.KeepsQuestions = hooked.Said, text, true
	case !part.Synthetic:
		h.Kind, h.Turn, h.Text = hooked.Prompt, part.Message, text
	}
}

// Asks returns the decision that a permission request needs.
func (s *Session) Asks(hook guest.Hook, expiresAt int64) []contracts.AskSeen {
	return s.Session.Asks(&hook.(*Hook).Hook, expiresAt)
}

// reportUsage adds the usage of one step to t. A cost of zero means that OpenCode does not know the
// price.
func (s *Session) reportUsage(t *guest.Updates, h *Hook, at int64) {
	u := h.p.Part.Tokens
	id := guest.Name(h.p.Part.ID)
	if u == nil || h.p.Part.Type != "step-finish" || id == "" {
		return
	}
	seen := contracts.UsageSeen{
		Key: Source + "/" + s.id + "/" + id, AgentID: s.Source.AgentID, TurnID: s.prompt,
		Usage: contracts.Usage{Model: s.Profile().Model, TokensIn: count(u.In), TokensOut: count(u.Out) + count(u.Reasoning), CacheRead: count(u.Cache.Read), CacheWrite: count(u.Cache.Write), At: at},
	}
	if cost := h.p.Part.Cost; cost > 0 && !math.IsInf(cost, 0) {
		seen.Usage.CostUSD = &cost
	} else if s.cfg.Price != nil {
		if cost, ok := s.cfg.Price(seen.Usage, 0); ok {
			seen.Usage.CostUSD, seen.Usage.Listed = &cost, true
		}
	}
	t.Usage = append(t.Usage, seen)
}

// count converts an untrusted token count to an integer; 0 if n is negative or not a number.
func count(n float64) int64 {
	if math.IsNaN(n) || n < 0 {
		return 0
	}
	return int64(min(n, 1<<50))
}
