package translate

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// Source is how guests and ids name this adapter.
const Source = "claude"

// AgentID is who a session is in the office; with agent, one of its sub-agents.
func AgentID(session, agent string) string {
	id := string(contracts.PrefixAgent) + "_" + Source + "_" + short(session)
	if agent != "" {
		id += "_" + short(agent)
	}
	return id
}

// SessionName is how HUD facts name a session or a sub-agent's part of it.
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

// limitPlace is how much of a directory's path is shown.
const limitPlace = 48

// Place shortens a directory to what people recognise.
func Place(dir, home string) string {
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
	if len([]rune(dir)) <= limitPlace {
		return dir
	}
	return "…/" + contracts.Clip(path.Base(path.Dir(dir))+"/"+path.Base(dir), limitPlace)
}

// nameOf is what a session is called: the directory that it works in.
func nameOf(dir string) string {
	dir = contracts.CleanLine(strings.ReplaceAll(dir, "\\", "/"))
	if base := path.Base(path.Clean(dir)); dir != "" && base != "/" && base != "." {
		return contracts.Clip(base, contracts.LimitName)
	}
	return "Claude Code"
}
