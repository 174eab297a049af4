package model

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
)

// The words that people read, as web/src/world/words.ts has them.

var stateTable = map[string]string{
	"IdleAtHome": "Free", "WalkingToPOI": "On the way", "WorkingAtPOI": "Working", "InMeeting": "In a meeting",
	"DeliveringArtifact": "Delivering", "SeekingUserDecision": "Needs your answer", "WalkingToPlayer": "Coming to you",
	"BlockedWaiting": "Waiting", "Offline": "Away",
}

var activityTable = map[string]string{"working": "Working", "waiting": "Waits for you", "idle": "Idle", "offline": "Offline"}

var sourceTable = map[string]string{
	"hook": "its own hook", "transcript": "its transcript", "gateway": "its gateway", "stream": "what it writes",
	"process": "its process", "silence": "its silence", "event": "its own event", "office": "the office",
}

var roleTable = map[string]string{
	"bd": "Business development", "researcher": "Researcher", "writer": "Writer", "designer": "Designer",
	"engineer": "Engineer", "strategist": "Strategist", "reviewer": "Reviewer", "guest": "Guest",
}

var taskTable = map[string]string{
	"planned": "Planned", "in_progress": "In progress", "blocked": "Blocked", "review": "In review", "done": "Done", "cancelled": "Cancelled",
}

var projectTable = map[string]string{
	"planning": "Planning", "executing": "Under way", "blocked": "Blocked", "paused": "Paused", "completed": "Completed", "archived": "Archived",
}

var artifactTable = map[string]string{
	"created": "Made", "delivered": "Delivered", "in_review": "Ready for review", "approved": "Approved",
	"changes_requested": "Changes requested", "superseded": "Superseded", "archived": "Archived",
}

var eventTable = map[string]string{
	"office_created": "The office opened", "request_submitted": "Request submitted", "request_accepted": "Request accepted",
	"kickoff_started": "Kickoff started", "kickoff_finished": "Kickoff finished", "tasks_created": "Tasks created",
	"task_assigned": "Task assigned", "task_started": "Work started", "task_progress": "Progress", "task_blocked": "Task blocked",
	"decision_requested": "Question for you", "decision_resolved": "Question answered", "artifact_created": "Deliverable made",
	"artifact_delivered": "Delivered", "review_requested": "Ready for review", "review_approved": "Approved",
	"review_changes_requested": "Changes requested", "task_done": "Task done", "resync_fallback_snapshot": "Reloaded the state",
	"agent_joined": "Somebody joined", "agent_status": "Status changed", "agent_left": "Somebody left", "usage_reported": "Usage reported",
	"agent_reset": "New session", "agent_switched": "Another agent answers", "audited": "Audit record", "record_redacted": "Text was erased", "task_cancelled": "Task cancelled",
	"decision_cancelled": "Question withdrawn", "project_paused": "Project paused", "project_resumed": "Project resumed",
	"project_completed": "Project completed", "project_archived": "Project archived",
}

// StateWords say what somebody is seen doing.
func StateWords(s contracts.AgentState) string { return look(stateTable, string(s)) }

// ActivityWords say what a guest does.
func ActivityWords(a contracts.Activity) string { return look(activityTable, string(a)) }

// SourceWords say whose evidence decided.
func SourceWords(s contracts.EvidenceSource) string { return look(sourceTable, string(s)) }

// GuestWords say where a guest comes from: the label of its source, as far as the
// office told it.
func (r *Rows) GuestWords(source string) string {
	return cmp.Or(Line(r.Sources.Of(source).Label), look(nil, source))
}

// RoleWords say what somebody is good at.
func RoleWords(r contracts.Role) string {
	if r == "" {
		return "Colleague"
	}
	return look(roleTable, string(r))
}

// TaskWords, ProjectWords, ArtifactWords and EventWords name a status or an event.
func TaskWords(s contracts.TaskStatus) string { return look(taskTable, string(s)) }

// ProjectWords name a project's status.
func ProjectWords(s contracts.ProjectStatus) string { return look(projectTable, string(s)) }

// ArtifactWords name a version's status.
func ArtifactWords(s contracts.ArtifactStatus) string { return look(artifactTable, string(s)) }

// EventWords name a line of the timeline.
func EventWords(n contracts.EventName) string { return look(eventTable, string(n)) }

// KnownEvent reports whether this build knows an event of that name.
func KnownEvent(n contracts.EventName) bool { return eventTable[string(n)] != "" }

// Doing is what somebody does, in the words of its tag. A guest does what the
// evidence says, wherever it walks.
func Doing(a *contracts.Agent) string {
	switch {
	case a.NeedsYou && a.Source != "":
		return "Needs you"
	case a.Activity != "":
		return ActivityWords(a.Activity)
	}
	return StateWords(a.State)
}

var needTable = map[NeedKind]string{
	NeedDecision: "Answer the question", NeedPermission: "Allow or deny", NeedPlan: "Start the plan", NeedReview: "Review the result",
	NeedElsewhere: "Answer in its terminal",
}

// NeedWords says what a person should do about a need.
func NeedWords(k NeedKind) string { return needTable[k] }

// AnswerThere says where an agent waits that cannot be answered here.
func AnswerThere(a *contracts.Agent) string {
	words := needTable[NeedElsewhere]
	if a.Place != "" {
		words += " in " + Line(a.Place)
	}
	if session := shortID(strings.TrimPrefix(a.Session, a.Source+":")); session != "" {
		words += " (session " + Line(session) + ")"
	}
	return words
}

// shortID is the first group of an id that begins with a UUID: enough to find it.
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

// Belongs is what somebody is here: a role, or where a guest comes from and works.
func (r *Rows) Belongs(a *contracts.Agent) string {
	if a.Source == "" {
		return RoleWords(a.Role)
	}
	from := r.GuestWords(a.Source)
	if a.ParentID != "" {
		from = "Sub-agent, " + from
	}
	if a.Place == "" {
		return from
	}
	return from + " · " + a.Place
}

// RunnerWords say what somebody runs on: a runner is shown by the name that the
// configuration gives it, unless it only follows a script.
func (r *Rows) RunnerWords(runner string) string {
	if source := r.Sources.Of(runner); source.Scripted {
		return Line(source.Label)
	}
	return cmp.Or(runner, "Unknown runner")
}

// Rehearsing reports whether the whole crew follows a script.
func (r *Rows) Rehearsing() bool {
	crew, _ := r.People()
	return len(crew) > 0 && !slices.ContainsFunc(crew, func(a contracts.Agent) bool { return !r.Sources.Of(a.Runner).Scripted })
}

var humps = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([a-z])([A-Z])`) })

// look: what a later version adds is shown as it is called, only readable.
func look(table map[string]string, key string) string {
	if words, known := table[key]; known {
		return words
	}
	key = Line(key)
	plain := strings.ToLower(strings.TrimSpace(humps().ReplaceAllString(strings.ReplaceAll(key, "_", " "), "$1 $2")))
	if plain == "" {
		return key
	}
	r, size := utf8.DecodeRuneInString(plain)
	return string(unicode.ToUpper(r)) + plain[size:]
}
