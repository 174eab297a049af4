package contracts

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Prefix is the first part of an entity's id and identifies the entity's type.
type Prefix string

// The prefixes of all ids in the office.
const (
	PrefixAgent    Prefix = "agent"
	PrefixProject  Prefix = "proj"
	PrefixTask     Prefix = "task"
	PrefixArtifact Prefix = "art"
	PrefixDecision Prefix = "dec"
	PrefixPOI      Prefix = "poi"
	PrefixRun      Prefix = "run"
	PrefixSession  Prefix = "sess"
	PrefixStream   Prefix = "stream"
	PrefixDecor    Prefix = "decor"
	PrefixAnchor   Prefix = "anchor"
	PrefixPlayer   Prefix = "player"
	PrefixRoom     Prefix = "room"
)

// Ids with a fixed meaning.
const (
	AgentBD       = "agent_bd"
	ThreadBD      = "bd_main"
	UserID        = "user"
	DefaultScene  = "cozy_office_v0"
	UnknownMsgID  = "msg_unknown"
	AgentThreadPx = "agent:"

	// RunnerRehearsal is the built-in runner; its results are labelled as a rehearsal.
	RunnerRehearsal = "rehearsal"
)

// HasPrefix reports whether id has the form `<prefix>_[a-z0-9]+(_[a-z0-9]+)*` and is at most
// LimitID bytes long.
func HasPrefix(id string, p Prefix) bool {
	rest, ok := strings.CutPrefix(id, string(p)+"_")
	if !ok || rest == "" || len(id) > LimitID {
		return false
	}
	afterUnderscore := true
	for i := range len(rest) {
		c := rest[i]
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			afterUnderscore = false
		case c == '_' && !afterUnderscore:
			afterUnderscore = true
		default:
			return false
		}
	}
	return !afterUnderscore
}

// idNouns maps the prefix of an id to the noun for what the id identifies.
var idNouns = map[Prefix]string{
	PrefixAgent: "agent", PrefixProject: "project", PrefixTask: "task", PrefixArtifact: "deliverable", PrefixDecision: "question", PrefixPOI: "place",
	PrefixRun: "attempt", PrefixSession: "connection", PrefixPlayer: "person", PrefixRoom: "room", PrefixObject: "object",
}

// OtherKind returns the start of a sentence, such as `"task_t2" is a task, not a deliverable`, if
// id identifies something other than noun; otherwise it returns "".
func OtherKind(id, noun string) string {
	for prefix, other := range idNouns {
		if other != noun && HasPrefix(id, prefix) {
			return fmt.Sprintf("%q is %s, not %s", id, withArticle(other), withArticle(noun))
		}
	}
	return ""
}

func withArticle(noun string) string {
	if noun != "" && strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// SessionSeparator separates the agent from the chat in a bridge session key.
const SessionSeparator = "::"

// SessionAgent returns the agent in a session key of the form <agent>::<chat>; ok is false if key
// does not have that form.
func SessionAgent(key string) (agent string, ok bool) {
	agent, chat, ok := strings.Cut(key, SessionSeparator)
	return agent, ok && len(key) <= LimitSessionKey && showable(agent) && showable(chat)
}

// showable reports whether an id from another program can be shown and logged unchanged.
func showable(id string) bool {
	return id != "" && utf8.ValidString(id) && !strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsPrint(r) })
}
