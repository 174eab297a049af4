package guest

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// Source is a vendor's name in profiles, ids and session names.
type Source string

// AgentID returns the office's id for a session, or for one of its sub-agents if agent is set.
func (s Source) AgentID(session, agent string) string {
	id := string(contracts.PrefixAgent) + "_" + string(s) + "_" + ShortHash(session)
	if agent != "" {
		id += "_" + ShortHash(agent)
	}
	return id
}

// SessionName returns the name that a session, or one of its sub-agents, has in HUD facts.
func (s Source) SessionName(session, agent string) string {
	if agent != "" {
		return string(s) + ":" + session + ":" + agent
	}
	return string(s) + ":" + session
}

// Split is the inverse of SessionName: it returns the session and the sub-agent that a name
// identifies.
func (s Source) Split(name string) (session, agent string) {
	session, agent, _ = strings.Cut(strings.TrimPrefix(name, string(s)+":"), ":")
	return session, agent
}

// ShortHash returns a short hash of s, for ids.
func ShortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:4])
}

// limitPlace is the maximum length of a displayed path.
const limitPlace = 48

// AbbreviateHome cleans a path and returns it with home shown as ~.
func AbbreviateHome(dir, home string) string {
	dir = contracts.CleanLine(strings.ReplaceAll(dir, "\\", "/"))
	if dir == "" {
		return ""
	}
	dir = path.Clean(dir)
	if home != "" && home != "/" {
		if dir == home {
			return "~"
		}
		if rest, ok := strings.CutPrefix(dir, home+"/"); ok {
			dir = "~/" + rest
		}
	}
	return dir
}

// Place returns a directory for display: home is shown as ~, and a long path is shortened to its
// last two elements.
func Place(dir, home string) string {
	dir = AbbreviateHome(dir, home)
	if len([]rune(dir)) <= limitPlace {
		return dir
	}
	return "…/" + contracts.Clip(path.Base(path.Dir(dir))+"/"+path.Base(dir), limitPlace)
}

// NameOf returns the display name of a session: the last element of dir, its working directory, or
// other if dir has no such element.
func NameOf(dir, other string) string {
	dir = contracts.CleanLine(strings.ReplaceAll(dir, "\\", "/"))
	if base := path.Base(path.Clean(dir)); dir != "" && base != "/" && base != "." {
		return contracts.Clip(base, contracts.LimitName)
	}
	return other
}
