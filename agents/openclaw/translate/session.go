package translate

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
)

// session is one of an agent's conversations.
type session struct {
	key             string
	agentID         string // the gateway's id for the agent
	guestID         string
	helper          bool // the session is a sub-agent's
	spawnedBy       string
	title           string
	model           string
	left            bool   // the end of the helper's task was reported
	lastMessage     string // preview of the last message to the agent
	reportedProfile contracts.AgentProfile

	runs  map[string]*run
	order []string // run ids, oldest first
}

// row is an entry in the gateway's list of sessions.
type row struct {
	Key           string   `json:"key"`
	AgentID       string   `json:"agentId"`
	Label         string   `json:"label"`
	DisplayName   string   `json:"displayName"`
	SpawnedBy     string   `json:"spawnedBy"`
	Parent        string   `json:"parentSessionKey"`
	ModelProvider string   `json:"modelProvider"`
	Model         string   `json:"model"`
	Status        string   `json:"status"`
	UpdatedAt     float64  `json:"updatedAt"`
	HasActiveRun  *bool    `json:"hasActiveRun"`
	ActiveRunIDs  []string `json:"activeRunIds"`
}

// Session is an entry in the gateway's list of sessions, as returned by Reader.Sessions.
type Session struct {
	Key       string
	UpdatedAt int64
	Active    bool
}

// Sessions reads the response to sessions.subscribe or sessions.list. It returns the sessions that
// belong to an agent, except the office's own, and the findings in the response.
func (r *Reader) Sessions(payload jsontext.Value, now int64) ([]Session, []Finding, error) {
	r.now, r.found = now, nil
	var answer struct {
		List struct {
			Sessions []row `json:"sessions"`
		} `json:"list"`
		Sessions []row `json:"sessions"`
	}
	if err := Decode(payload, &answer); err != nil {
		return nil, nil, err
	}
	var list []Session
	for _, row := range append(answer.List.Sessions, answer.Sessions...) {
		s := r.open(row.Key, row.AgentID, row.caller())
		if s == nil {
			continue
		}
		active := row.HasActiveRun != nil && *row.HasActiveRun
		r.updateSession(s, row, active)
		list = append(list, Session{Key: s.key, UpdatedAt: int64(row.UpdatedAt), Active: active})
	}
	return list, r.found, nil
}

func (w row) caller() string {
	if w.SpawnedBy != "" {
		return w.SpawnedBy
	}
	if strings.Contains(w.Key, ":subagent:") {
		return w.Parent
	}
	return ""
}

// updateSession updates a session from a row in the gateway's list. A helper joins only while it is
// working, because the gateway also lists helpers that have finished.
func (r *Reader) updateSession(s *session, w row, active bool) {
	if w.Model != "" {
		s.model = w.Model
		if w.ModelProvider != "" {
			s.model = w.ModelProvider + "/" + w.Model
		}
		s.model = hud.Shorten(s.model, contracts.LimitName)
	}
	if s.helper {
		for _, title := range []string{w.Label, w.DisplayName} {
			if s.title == "" {
				s.title = hud.Line(title, contracts.LimitName)
			}
		}
		if active || s.busy() {
			r.reportHelperProfile(s)
		}
		return
	}
	a := r.agent(s.agentID)
	if s.model != "" && s.key == a.main {
		a.model = s.model
	}
	r.reportProfile(a)
}

// open returns a session, and adds it if it is new. It returns nil if the session's agent is unknown
// or the session is the office's own.
func (r *Reader) open(key, agentID, spawnedBy string) *session {
	key = strings.ToLower(key)
	if agentID == "" {
		if parts := strings.SplitN(key, ":", 3); len(parts) == 3 && parts[0] == "agent" {
			agentID = parts[1]
		}
	}
	if key == "" || agentID == "" || len(key) > contracts.LimitText || !r.gateway.IncludeOwn && isOwn(key) {
		return nil
	}
	name := key
	if !strings.HasPrefix(key, "agent:") { // the same key, such as "global", exists for every agent
		name = "agent:" + agentID + ":" + key
	}
	if s := r.sessions[name]; s != nil {
		return s
	}
	s := &session{key: name, agentID: agentID, spawnedBy: strings.ToLower(spawnedBy), runs: map[string]*run{}}
	s.helper = s.spawnedBy != "" || strings.Contains(key, ":subagent:")
	s.guestID = r.gateway.GuestID(agentID)
	if s.helper {
		s.guestID = r.gateway.guestID(agentID, s.key)
	}
	if len(r.order) >= contracts.LimitGatewaySessions {
		r.forgetSession()
	}
	r.sessions[name] = s
	r.order = append(r.order, name)
	return s
}

// forgetSession removes the oldest session without an active run, or the oldest session if all have
// an active run.
func (r *Reader) forgetSession() {
	i := max(0, slices.IndexFunc(r.order, func(key string) bool { return !r.sessions[key].busy() }))
	delete(r.sessions, r.order[i])
	r.order = slices.Delete(r.order, i, i+1)
}

// readChange handles the event that reports a change to a session.
func (r *Reader) readChange(payload jsontext.Value) error {
	var change struct {
		SessionKey string `json:"sessionKey"`
		AgentID    string `json:"agentId"`
		Reason     string `json:"reason"`
		Session    *row   `json:"session"`
	}
	if err := Decode(payload, &change); err != nil {
		return err
	}
	w := row{}
	if change.Session != nil {
		w = *change.Session
	}
	s := r.open(change.SessionKey, change.AgentID, w.caller())
	if s == nil || change.Session == nil {
		return nil
	}
	active := w.HasActiveRun != nil && *w.HasActiveRun
	r.updateSession(s, w, active)
	if change.Reason == "reset" {
		r.reread(s.key) // only the history contains the reset
	}
	idle := w.HasActiveRun != nil && !active
	if idle {
		r.reportLeft(s)
	}
	return nil
}

// reportLeft reports, once, that a helper's task is over, unless the helper still has an active run.
func (r *Reader) reportLeft(s *session) {
	if s.helper && !s.busy() && s.reportedProfile.AgentID != "" && !s.left {
		s.left = true
		r.addEvidence(s.guestID, status.Ended, "", "task finished", "")
	}
}

// ownMark is the name prefix of all sessions that the office itself opens at a gateway. The
// activity of these sessions is recorded as a crew member's work, so a reader ignores them.
const ownMark = "bullpen-"

// OwnSession returns the key of one of the office's own sessions with a gateway's agent.
func OwnSession(agent, name string) string {
	return strings.ToLower("agent:" + agent + ":" + ownMark + name)
}

func isOwn(key string) bool {
	parts := strings.SplitN(strings.ToLower(key), ":", 3)
	return len(parts) == 3 && strings.HasPrefix(parts[2], ownMark)
}

// ownEvent reports whether an event is about one of the office's own sessions.
func ownEvent(payload jsontext.Value) bool {
	if !bytes.Contains(payload, []byte(":"+ownMark)) {
		return false
	}
	var e struct {
		SessionKey string `json:"sessionKey"`
		Request    struct {
			SessionKey string `json:"sessionKey"`
		} `json:"request"`
	}
	return Decode(payload, &e) == nil && (isOwn(e.SessionKey) || isOwn(e.Request.SessionKey))
}
