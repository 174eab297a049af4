package translate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Source is the source name of a gateway's agents.
const Source = "openclaw"

// Gateway describes the gateway whose frames a Reader reads.
type Gateway struct {
	Name string // for display: host and port
	Tag  string // distinguishes the gateway from others; empty for the first

	KeepThinking bool // store the thinking text of agents
	IncludeOwn   bool // also read the office's own sessions

	// Price estimates the cost of usage that was reported without a cost. It returns false if the
	// price is unknown. If Price is nil, no cost is estimated.
	Price func(u contracts.Usage, hour int64) (usd float64, ok bool)
}

// TagOf returns the tag of the gateway with this address.
func TagOf(address string) string { return shortHash(address, 6) }

// GuestID returns the office's id for one of the gateway's agents.
func (g Gateway) GuestID(agentID string) string {
	return g.guestID(agentID, "")
}

// Owns reports whether p is the profile of an agent from this gateway.
func (g Gateway) Owns(p contracts.AgentProfile) bool {
	return p.Source == Source && strings.HasPrefix(p.Session, g.session(""))
}

// session returns the name that facts use for a session.
func (g Gateway) session(key string) string {
	if g.Tag != "" {
		return Source + "@" + g.Tag + ":" + key
	}
	return Source + ":" + key
}

// guestID returns the office's id for an agent, or for the agent's helper with this session key.
func (g Gateway) guestID(agentID, helper string) string {
	id := string(contracts.PrefixAgent) + "_" + Source + "_" + slug(agentID)
	if g.Tag != "" {
		id += "_" + g.Tag
	}
	if helper != "" {
		id += "_" + shortHash(helper, 8)
	}
	return id
}

// slugLength is the maximum length of a slug; it leaves room for the rest of an id.
const slugLength = 64

// slug converts an agent id to the characters allowed in our ids. If the conversion loses
// information, slug appends a hash, so that different agents keep different slugs.
func slug(id string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(id) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			b.WriteRune(c)
		} else if s := b.String(); s != "" && s[len(s)-1] != '_' {
			b.WriteByte('_')
		}
	}
	s := strings.Trim(b.String(), "_")
	if len(s) > slugLength {
		s = strings.Trim(s[:slugLength], "_")
	}
	if s != "" && strings.ReplaceAll(s, "_", "-") == id {
		return s
	}
	return strings.Trim(s+"_"+shortHash(id, 6), "_")
}

func shortHash(text string, digits int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:digits]
}

type agent struct {
	id              string
	name            string
	place           string // the agent's working directory
	model           string
	main            string // key of the session that people use to talk to the agent
	reportedProfile contracts.AgentProfile
}

// roots returns the directories that an agent's paths are shown relative to. One of them is the
// gateway's state directory, if the agent works in it.
func (a *agent) roots() hud.Roots {
	roots := hud.Roots{Work: a.place}
	const state = "/.openclaw"
	if i := strings.Index(a.place+"/", state+"/"); i >= 0 {
		roots.Home = a.place[:i]
		roots.Strip = []string{a.place[:i+len(state)]}
	}
	return roots
}

// reportProfile reports an agent's profile if the profile is new or has changed.
func (r *Reader) reportProfile(a *agent) {
	p := contracts.AgentProfile{
		AgentID: r.gateway.GuestID(a.id), Name: hud.Shorten(a.name, contracts.LimitName), Role: contracts.RoleGuest, Source: Source,
		Session: r.gateway.session(a.main), Place: place(a), Repo: repo(a), Model: a.model,
	}
	p.Name = cmp.Or(p.Name, a.id)
	if !p.Equal(a.reportedProfile) {
		a.reportedProfile = p
		r.addProfile(p)
	}
}

// place returns an agent's working directory for display.
func place(a *agent) string {
	return hud.Roots{Home: a.roots().Home}.View(a.place)
}

// repo returns the repository in an agent's profile: "OpenClaw" for agents that work in the
// gateway's own directory, so that they share a studio; otherwise "".
func repo(a *agent) string {
	if a.roots().Strip == nil {
		return ""
	}
	return "OpenClaw"
}

// reportHelperProfile reports a sub-agent's profile if the profile is new or has changed. The
// profile's parent is the agent that started the sub-agent.
func (r *Reader) reportHelperProfile(s *session) {
	parent := r.agent(s.agentID)
	r.reportProfile(parent)
	p := contracts.AgentProfile{
		AgentID: s.guestID, Name: hud.Shorten(s.title, contracts.LimitName), Role: contracts.RoleGuest, Source: Source,
		ParentID: r.gateway.GuestID(parent.id), Session: r.gateway.session(s.key), Place: place(parent), Model: s.model,
	}
	if caller := r.sessions[s.spawnedBy]; caller != nil {
		p.ParentID = caller.guestID
	}
	p.Name = cmp.Or(p.Name, parent.reportedProfile.Name+"’s helper")
	p.Model = cmp.Or(p.Model, parent.model)
	if !p.Equal(s.reportedProfile) {
		s.reportedProfile = p
		r.addProfile(p)
	}
}
