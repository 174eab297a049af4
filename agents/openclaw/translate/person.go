package translate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Source is what the profiles of a gateway's agents say about where they work.
const Source = "openclaw"

// Gateway says which gateway is read.
type Gateway struct {
	Name string // for people: its host and port
	Tag  string // tells it from others; empty for the only or first one

	KeepThinking bool // keep the text of what agents think
	Own          bool // read the office's own sessions as well

	Price func(u contracts.Usage, hour int64) (usd float64, ok bool) // of reports that name none; nil knows no price
}

// TagOf names a gateway after its address.
func TagOf(address string) string { return shortHash(address, 6) }

// PersonID is the id under which an agent of the gateway is in the office.
func (g Gateway) PersonID(agentID string) string {
	return g.personID(agentID, "")
}

// Owns reports whether an agent of the office came from this gateway.
func (g Gateway) Owns(p contracts.AgentProfile) bool {
	return p.Source == Source && strings.HasPrefix(p.Session, g.session(""))
}

// session is how facts name a session of the gateway.
func (g Gateway) session(key string) string {
	if g.Tag != "" {
		return Source + "@" + g.Tag + ":" + key
	}
	return Source + ":" + key
}

// personID names an agent, or one of its helpers by the session that it has.
func (g Gateway) personID(agentID, helper string) string {
	id := string(contracts.PrefixAgent) + "_" + Source + "_" + slug(agentID)
	if g.Tag != "" {
		id += "_" + g.Tag
	}
	if helper != "" {
		id += "_" + shortHash(helper, 8)
	}
	return id
}

// slugLength leaves room for everything that follows a slug in an id.
const slugLength = 64

// slug writes an agent id with the characters of our ids. Where that loses
// something, a hash keeps two agents apart.
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

// agent is an agent that the gateway has.
type agent struct {
	id    string
	name  string
	place string // its working directory
	model string
	main  string // key of the session that people talk to
	told  contracts.AgentProfile
}

// roots say how the paths of an agent are shown. What lies in the gateway's own
// directory loses its prefix, as in seed 001.
func (a *agent) roots() hud.Roots {
	roots := hud.Roots{Work: a.place}
	const state = "/.openclaw"
	if i := strings.Index(a.place+"/", state+"/"); i >= 0 {
		roots.Home = a.place[:i]
		roots.Strip = []string{a.place[:i+len(state)]}
	}
	return roots
}

// introduce lets an agent in, or says what is new about it.
func (r *Reader) introduce(a *agent) {
	p := contracts.AgentProfile{
		AgentID: r.gateway.PersonID(a.id), Name: hud.Shorten(a.name, contracts.LimitName), Role: contracts.RoleGuest, Source: Source,
		Session: r.gateway.session(a.main), Place: place(a), Model: a.model,
	}
	p.Name = cmp.Or(p.Name, a.id)
	if !p.Equal(a.told) {
		a.told = p
		r.profile(p)
	}
}

// place shortens a working directory for people.
func place(a *agent) string {
	return hud.Roots{Home: a.roots().Home}.View(a.place)
}

// introduceHelper lets a sub-agent in, behind whoever called it.
func (r *Reader) introduceHelper(s *session) {
	parent := r.agent(s.agentID)
	r.introduce(parent)
	p := contracts.AgentProfile{
		AgentID: s.person, Name: hud.Shorten(s.title, contracts.LimitName), Role: contracts.RoleGuest, Source: Source,
		ParentID: r.gateway.PersonID(parent.id), Session: r.gateway.session(s.key), Place: place(parent), Model: s.model,
	}
	if caller := r.sessions[s.spawnedBy]; caller != nil {
		p.ParentID = caller.person
	}
	p.Name = cmp.Or(p.Name, parent.told.Name+"’s helper")
	p.Model = cmp.Or(p.Model, parent.model)
	if !p.Equal(s.told) {
		s.told = p
		r.profile(p)
	}
}
