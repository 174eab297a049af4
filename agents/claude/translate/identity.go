package translate

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// Source is this adapter's name in guest profiles and ids.
const Source = "claude"

// AgentID returns the office's id for a session, or for one of its sub-agents if agent is set.
func AgentID(session, agent string) string {
	id := string(contracts.PrefixAgent) + "_" + Source + "_" + short(session)
	if agent != "" {
		id += "_" + short(agent)
	}
	return id
}

// SessionName returns the name that a session, or one of its sub-agents, has in HUD facts.
func SessionName(session, agent string) string {
	if agent != "" {
		return Source + ":" + session + ":" + agent
	}
	return Source + ":" + session
}

func short(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:4])
}

// limitPlace is the maximum length of a displayed path.
const limitPlace = 48

// fromHome returns a clean path, with home shown as ~.
func fromHome(dir, home string) string {
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
// last two names.
func Place(dir, home string) string {
	dir = fromHome(dir, home)
	if len([]rune(dir)) <= limitPlace {
		return dir
	}
	return "…/" + contracts.Clip(path.Base(path.Dir(dir))+"/"+path.Base(dir), limitPlace)
}

// nameOf returns the display name of a session: the last name of its working directory.
func nameOf(dir string) string {
	dir = contracts.CleanLine(strings.ReplaceAll(dir, "\\", "/"))
	if base := path.Base(path.Clean(dir)); dir != "" && base != "/" && base != "." {
		return contracts.Clip(base, contracts.LimitName)
	}
	return "Claude Code"
}
