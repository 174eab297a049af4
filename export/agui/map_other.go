package agui

import (
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// mapChat maps messages: agents are assistants, people are users.
func (m *Mapper) mapChat(c *contracts.Chat) {
	from := m.scope.Session == "" && (m.scope.AgentID == "" || c.From == m.scope.AgentID || c.To == m.scope.AgentID)
	if !from || c.Text == "" {
		return
	}
	role, l := "user", m.track(c.To, "")
	if contracts.HasPrefix(c.From, contracts.PrefixAgent) {
		role, l = "assistant", m.track(c.From, "")
	}
	meta := &Metadata{AgentID: l.agent, Session: c.ThreadID, Rehearsal: c.Rehearsal}
	m.emitStandalone(l,
		Event{Type: TextMessageStart, MessageID: m.id, Role: role, Name: c.From, Metadata: meta},
		Event{Type: TextMessageContent, MessageID: m.id, Delta: c.Text},
		Event{Type: TextMessageEnd, MessageID: m.id})
}

// mapUI maps a normalized workflow event to a custom event of the same name. It leaves out events
// that are not drawn.
func (m *Mapper) mapUI(u *contracts.UI) {
	if u.Kind == "" || !m.scope.includes(u.AgentID, u.Session) {
		return
	}
	value := u.Normalized
	if len(value) == 0 {
		value = u.Raw
	}
	if len(value) == 0 {
		value = []byte("null")
	}
	m.emitStandalone(m.track(u.AgentID, u.Session), custom(u.Name, value))
}

// mapEvent maps a timeline event: a status becomes an activity, which the next status replaces;
// everything else becomes a custom event.
func (m *Mapper) mapEvent(e *contracts.Event, body []byte) {
	if !m.scope.includesEvent(e) {
		return
	}
	l := m.track(e.AgentID, m.scope.Session)
	if e.Status != nil {
		m.emitStandalone(l, Event{Type: ActivitySnapshot, MessageID: "status_" + e.Status.AgentID, ActivityType: "bullpen.status", Content: encoded(e.Status)})
		return
	}
	m.emitStandalone(l, custom("bullpen."+string(e.Name), body))
}

// includesEvent reports whether a timeline event belongs to the stream. Timeline events name agents
// but no sessions, so a session's stream has none.
func (s Scope) includesEvent(e *contracts.Event) bool {
	switch {
	case s.office():
		return true
	case s.AgentID == "":
		return false
	case e.AgentID == s.AgentID:
		return true
	}
	return e.Decision != nil && e.Decision.AskedBy == s.AgentID ||
		slices.ContainsFunc(e.Agents, func(p contracts.AgentProfile) bool { return p.AgentID == s.AgentID })
}
