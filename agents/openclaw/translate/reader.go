package translate

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/go-json-experiment/json/jsontext"
)

// Reader turns a gateway's frames into findings and keeps the state that later frames need. It is
// not safe for concurrent use.
type Reader struct {
	gateway  Gateway
	agents   map[string]*agent
	sessions map[string]*session
	order    []string // session keys, oldest first

	now   int64 // time of the current frame
	skew  int64 // last known difference between the gateway's clock and ours
	found []Finding
}

// NewReader returns a reader without agents or sessions.
func NewReader(g Gateway) *Reader {
	return &Reader{gateway: g, agents: map[string]*agent{}, sessions: map[string]*session{}}
}

// Event reads an event from the gateway. It returns no findings for events without activity, and an
// error for an invalid event.
func (r *Reader) Event(name string, payload jsontext.Value, now int64) ([]Finding, error) {
	r.now, r.found = now, nil
	if !r.gateway.IncludeOwn && ownEvent(payload) {
		return nil, nil
	}
	var err error
	switch name {
	case "agent", "session.tool":
		err = r.readStream(payload)
	case "chat":
		err = r.readChat(payload)
	case "session.message":
		err = r.readMessage(payload)
	case "sessions.changed":
		err = r.readChange(payload)
	case "exec.approval.requested", "plugin.approval.requested":
		err = r.readApproval(strings.TrimSuffix(name, ".approval.requested"), payload)
	case "exec.approval.resolved", "plugin.approval.resolved":
		err = r.readSettled(payload)
	}
	if err != nil {
		return nil, fmt.Errorf("decode event %q: %w", hud.Shorten(name, contracts.LimitName), err)
	}
	return r.found, nil
}

// Agents reads the response to agents.list and returns the agents' profiles.
func (r *Reader) Agents(payload jsontext.Value, now int64) ([]Finding, error) {
	r.now, r.found = now, nil
	var list struct {
		MainKey string `json:"mainKey"`
		Agents  []struct {
			ID       string `json:"id"`
			Name     string `json:"name"`
			Identity struct {
				Name string `json:"name"`
			} `json:"identity"`
			Workspace string `json:"workspace"`
			Model     struct {
				Primary string `json:"primary"`
			} `json:"model"`
		} `json:"agents"`
	}
	if err := Decode(payload, &list); err != nil {
		return nil, fmt.Errorf("decode the gateway's agent list: %w", err)
	}
	for _, row := range list.Agents {
		if row.ID == "" {
			continue
		}
		a := r.agent(row.ID)
		a.name, a.place = row.Identity.Name, row.Workspace
		a.name = cmp.Or(a.name, row.Name)
		if row.Model.Primary != "" {
			a.model = hud.Shorten(row.Model.Primary, contracts.LimitName)
		}
		if list.MainKey != "" {
			a.main = strings.ToLower("agent:" + row.ID + ":" + list.MainKey)
		}
		r.reportProfile(a)
	}
	return r.found, nil
}

// GuestIDs returns the ids of all known agents and of helpers that are working.
func (r *Reader) GuestIDs() []string {
	var ids []string
	for _, a := range r.agents {
		ids = append(ids, r.gateway.GuestID(a.id))
	}
	for _, s := range r.sessions {
		if s.helper && s.busy() {
			ids = append(ids, s.guestID)
		}
	}
	return ids
}

// Running returns the keys of a guest's sessions that have an active run.
func (r *Reader) Running(guestID string) (keys []string) {
	for _, key := range r.order {
		if s := r.sessions[key]; s != nil && s.guestID == guestID && s.busy() {
			keys = append(keys, key)
		}
	}
	return keys
}

// Key returns the gateway's key for a session named in a fact, or "" if the session does not belong
// to this gateway.
func (g Gateway) Key(session string) string {
	key, ok := strings.CutPrefix(session, g.session(""))
	if !ok {
		return ""
	}
	return key
}

// agent returns the agent with this id. It adds an agent that the gateway has not listed, unless
// there are already contracts.LimitGuests agents.
func (r *Reader) agent(id string) *agent {
	a := r.agents[id]
	if a == nil {
		a = &agent{id: id, main: strings.ToLower("agent:" + id + ":main")}
		if len(r.agents) < contracts.LimitGuests {
			r.agents[id] = a
		}
	}
	return a
}

func (r *Reader) source(s *session) hud.Source {
	return hud.Source{AgentID: s.guestID, Session: r.gateway.session(s.key), Roots: r.agent(s.agentID).roots()}
}

// uuid derives a fact's id from its session, event and name, so that live events and the history
// produce the same id.
func (r *Reader) uuid(s *session, event contracts.HUDEvent, name string) string {
	return contracts.DerivedUUID(r.gateway.session(""), s.key, string(event), name)
}

// ForgetReported clears the reported profiles, so that the reader reports all profiles again:
// agents may have left the office during a long disconnection.
func (r *Reader) ForgetReported() {
	for _, a := range r.agents {
		a.reportedProfile.AgentID = ""
	}
	for _, s := range r.sessions {
		s.reportedProfile.AgentID = ""
	}
}

// Busy reports whether a session has a known active run.
func (r *Reader) Busy(key string) bool {
	s := r.sessions[key]
	return s != nil && s.busy()
}

// SourceOf returns the source of a session's facts, or the zero value if the session is unknown.
func (r *Reader) SourceOf(key string) hud.Source {
	if s := r.sessions[key]; s != nil {
		return r.source(s)
	}
	return hud.Source{}
}

// SessionName returns the name that facts use for a session.
func (r *Reader) SessionName(key string) string { return r.gateway.session(key) }
