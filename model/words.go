package model

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
)

// StateWords returns the label of an agent's state.
func StateWords(s contracts.AgentState) string { return labelFor(contracts.AgentStateWords, s) }

// ActivityWords returns the label of a guest's activity.
func ActivityWords(a contracts.Activity) string { return labelFor(contracts.ActivityWords, a) }

// SourceWords returns the words for a source of evidence; they follow "decided by".
func SourceWords(s contracts.EvidenceSource) string { return labelFor(contracts.EvidenceWords, s) }

// GuestWords returns the label of a guest's source or, if the office sent no label, the source's
// name.
func (r *Rows) GuestWords(source string) string {
	return cmp.Or(Line(r.Sources.Of(source).Label), labelFor[string](nil, source))
}

// RoleWords returns the label of a role, or "Crew member" if the role is empty.
func RoleWords(r contracts.Role) string {
	if r == "" {
		return contracts.SayCrewMember
	}
	return labelFor(contracts.RoleWords, r)
}

// TaskWords returns the label of a task's status.
func TaskWords(s contracts.TaskStatus) string { return labelFor(contracts.TaskStatusWords, s) }

// ProjectWords returns the label of a project's status.
func ProjectWords(s contracts.ProjectStatus) string { return labelFor(contracts.ProjectStatusWords, s) }

// ArtifactWords returns the label for the status of a version of a deliverable.
func ArtifactWords(s contracts.ArtifactStatus) string {
	return labelFor(contracts.ArtifactStatusWords, s)
}

// EventWords returns the label of an event in the timeline.
func EventWords(n contracts.EventName) string { return labelFor(contracts.EventWords, n) }

// KnownEvent reports whether this version has a label for events with the given name.
func KnownEvent(n contracts.EventName) bool { return contracts.EventWords[n] != "" }

// Doing describes what an agent is doing, for the agent's tag. For a guest, the words depend on the
// evidence, not on where the guest walks.
func Doing(a *contracts.Agent) string {
	if a.NeedsYou && a.Source != "" {
		return contracts.SayNeedsYou
	}
	return StatusWords(a)
}

// Reason returns the reason for an agent's status without the words that clients show next to it:
// the label of the status, or "Needs you", at the start and, if authority is set, the evidence in
// parentheses at the end.
func Reason(why, label string, authority contracts.EvidenceSource) string {
	why = strings.TrimSpace(why)
	for _, label := range []string{label, contracts.SayNeedsYou} {
		if len(why) < len(label) || !strings.EqualFold(why[:len(label)], label) {
			continue
		}
		if rest := why[len(label):]; strings.Trim(rest, ". ") == "" {
			return ""
		} else if strings.HasPrefix(rest, ": ") {
			why = rest[2:]
		}
	}
	source := " (" + string(authority)
	if at := strings.LastIndex(why, source); authority != "" && at >= 0 && strings.HasSuffix(why, ")") && strings.ContainsAny(why[at+len(source):at+len(source)+1], "):,") {
		why = why[:at]
	}
	return strings.TrimSpace(why)
}

// StatusWords returns the label of a guest's activity or a crew member's state.
func StatusWords(a *contracts.Agent) string {
	if a.Activity != "" {
		return ActivityWords(a.Activity)
	}
	return StateWords(a.State)
}

// NeedWords returns the call to action for a kind of need, such as "Review the result".
func NeedWords(k NeedKind) string { return contracts.NeedWords[string(k)] }

// AnswerPlaceWords describes where to answer an agent that cannot be answered in the office: its
// terminal, with its folder and session.
func AnswerPlaceWords(a *contracts.Agent) string {
	place, session := "", shortID(strings.TrimPrefix(a.Session, a.Source+":"))
	if a.Place != "" {
		place = fmt.Sprintf(contracts.SayInPlace, Line(a.Place))
	}
	if session != "" {
		session = fmt.Sprintf(contracts.SayInSession, Line(session))
	}
	return fmt.Sprintf(contracts.SayInTerminal, place, session)
}

// shortID shortens an id that starts with a UUID to the UUID's first group, which is enough to
// identify it; other ids are returned unchanged.
func shortID(id string) string {
	const groups = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if len(id) < len(groups) {
		return id
	}
	for i := range len(groups) {
		if hex := strings.ContainsRune("0123456789abcdefABCDEF", rune(id[i])); hex != (groups[i] == 'x') || !hex && id[i] != '-' {
			return id
		}
	}
	return id[:8]
}

// OriginWords returns a crew member's role, or a guest's source and folder.
func (r *Rows) OriginWords(a *contracts.Agent) string {
	if a.Source == "" {
		return RoleWords(a.Role)
	}
	from := r.GuestWords(a.Source)
	if a.ParentID != "" {
		from = fmt.Sprintf(contracts.SaySubAgentOf, from)
	}
	if a.Place == "" {
		return from
	}
	return from + " · " + a.Place
}

// RunnerWords returns the label of a crew member's runner: its name in the configuration or, for a
// scripted runner, the source's label.
func (r *Rows) RunnerWords(runner string) string {
	if source := r.Sources.Of(runner); source.Scripted {
		return Line(source.Label)
	}
	return cmp.Or(runner, contracts.SayUnknownRunner)
}

// Rehearsing reports whether the whole crew follows a script.
func (r *Rows) Rehearsing() bool {
	crew, _ := r.People()
	return len(crew) > 0 && !slices.ContainsFunc(crew, func(a contracts.Agent) bool { return !r.Sources.Of(a.Runner).Scripted })
}

var humps = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([a-z])([A-Z])`) })

// labelFor returns the label for a key. An unknown key, for example from a newer version, is turned
// into readable words.
func labelFor[K ~string](table map[K]string, key K) string {
	if words, known := table[key]; known {
		return words
	}
	name := Line(string(key))
	plain := strings.ToLower(strings.TrimSpace(humps().ReplaceAllString(strings.ReplaceAll(name, "_", " "), "$1 $2")))
	if plain == "" {
		return name
	}
	r, size := utf8.DecodeRuneInString(plain)
	return string(unicode.ToUpper(r)) + plain[size:]
}
