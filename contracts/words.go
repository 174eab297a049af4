package contracts

import (
	"fmt"
	"strings"
)

// Display text for values on the wire. The browser, the terminal and the commands all use these
// tables: `go run ./contracts/gen` writes them, and the phrases in words_say.go, to
// web/src/contracts/words.gen.ts.

// AgentStateWords are the labels of agents' states in the room.
var AgentStateWords = map[AgentState]string{
	StateIdle:       "Free",
	StateWalking:    "On the way",
	StateWorking:    "Working",
	StateMeeting:    "In a meeting",
	StateDelivering: "Delivering",
	StateSeeking:    "Needs your answer",
	StateToPlayer:   "Coming to you",
	StateWaiting:    "Waiting",
	StateOffline:    "Offline",
}

// ActivityWords are the labels of guests' activities.
var ActivityWords = map[Activity]string{
	ActivityWorking: "Working",
	ActivityWaiting: "Waiting for you",
	ActivityIdle:    "Idle",
	ActivityOffline: "Offline",
}

// EvidenceWords name the sources of evidence; they follow "decided by".
var EvidenceWords = map[EvidenceSource]string{
	FromHook:       "its hook",
	FromTranscript: "its transcript",
	FromGateway:    "its gateway",
	FromStream:     "its output",
	FromProcess:    "its process",
	FromSilence:    "its inactivity",
	FromEvent:      "an event that it sent",
	FromProgram:    "its program's list",
	FromOffice:     "the office",
}

// RoleWords name the roles of the crew.
var RoleWords = map[Role]string{
	RoleBD:         "Business development",
	RoleResearcher: "Researcher",
	RoleWriter:     "Writer",
	RoleDesigner:   "Designer",
	RoleEngineer:   "Engineer",
	RoleStrategist: "Strategist",
	RoleReviewer:   "Reviewer",
	RoleGuest:      "Guest",
}

// TaskStatusWords are the labels of task statuses and board columns.
var TaskStatusWords = map[TaskStatus]string{
	TaskPlanned:    "Planned",
	TaskInProgress: "In progress",
	TaskBlocked:    "Blocked",
	TaskReview:     "In review",
	TaskDone:       "Done",
	TaskCancelled:  "Cancelled",
}

// BoardColumns are the board's columns from left to right. Cancelled tasks are not on the board.
var BoardColumns = []TaskStatus{TaskPlanned, TaskInProgress, TaskBlocked, TaskReview, TaskDone}

// ProjectStatusWords are the labels of project statuses.
var ProjectStatusWords = map[ProjectStatus]string{
	ProjectPlanning:  "Planning",
	ProjectExecuting: "Under way",
	ProjectBlocked:   "Blocked",
	ProjectPaused:    "Paused",
	ProjectCompleted: "Completed",
	ProjectArchived:  "Archived",
}

// ArtifactStatusWords are the labels of artifact statuses.
var ArtifactStatusWords = map[ArtifactStatus]string{
	ArtifactCreated:          "Created",
	ArtifactDelivered:        "Delivered",
	ArtifactInReview:         "Ready for review",
	ArtifactApproved:         "Approved",
	ArtifactChangesRequested: "Changes requested",
	ArtifactSuperseded:       "Superseded",
	ArtifactArchived:         "Archived",
}

// EventWords are the labels of events in the timeline.
var EventWords = map[EventName]string{
	EventOfficeCreated:          "Office opened",
	EventRequestSubmitted:       "Request submitted",
	EventRequestAccepted:        "Request accepted",
	EventKickoffStarted:         "Kickoff started",
	EventKickoffFinished:        "Kickoff finished",
	EventTasksCreated:           "Tasks created",
	EventTaskAssigned:           "Task assigned",
	EventTaskStarted:            "Work started",
	EventTaskProgress:           "Progress",
	EventTaskBlocked:            "Task blocked",
	EventDecisionRequested:      "Question for you",
	EventDecisionResolved:       "Question answered",
	EventArtifactCreated:        "Version created",
	EventArtifactDelivered:      "Delivered",
	EventReviewRequested:        "Ready for review",
	EventReviewApproved:         "Approved",
	EventReviewChangesRequested: "Changes requested",
	EventTaskDone:               "Task done",
	EventResyncFallback:         "State reloaded",
	EventAgentJoined:            "Agent joined",
	EventAgentStatus:            "Status changed",
	EventAgentLeft:              "Agent left",
	EventUsageReported:          "Usage reported",
	EventAgentReset:             "New session",
	EventAgentSwitched:          "Agent switched",
	EventAudited:                "Audit record",
	EventRecordRedacted:         "Record redacted",
	EventRoomOpened:             "Studio opened",
	EventRoomChanged:            "Studio changed",
	EventRoomClosed:             "Studio closed",
	EventRuleAdded:              "Rule added",
	EventRuleRevoked:            "Rule revoked",
	EventRepoAdded:              "Repository added",
	EventRepoRemoved:            "Repository removed",
	EventTaskPrepared:           "Worktree ready",
	EventCheckFinished:          "Check finished",
	EventTaskTreeChanged:        "Files changed",
	EventLandingRequested:       "Landing requested",
	EventLandingChecked:         "Can be landed",
	EventLandingOpened:          "Pull request open",
	EventTaskLanded:             "Landed",
	EventLandingFailed:          "Not landed",
	EventCollisionSeen:          "Same files edited",
	EventReviewAssigned:         "Review assigned",
	EventReviewCommented:        "Reviewed",
	EventReviewFailed:           "Not reviewed",
	EventTaskCancelled:          "Task cancelled",
	EventDecisionCancelled:      "Question withdrawn",
	EventProjectPaused:          "Project paused",
	EventProjectResumed:         "Project resumed",
	EventProjectCompleted:       "Project completed",
	EventProjectArchived:        "Project archived",
}

// VerdictWords are the labels of verdicts.
var VerdictWords = map[Verdict]string{
	VerdictProven:   "PROVEN",
	VerdictPartly:   "PARTLY",
	VerdictOnlySaid: "ONLY SAID",
	VerdictFailed:   "FAILED",
}

// VerdictNotes explain verdicts.
var VerdictNotes = map[Verdict]string{
	VerdictProven:   "All required checks passed on these files.",
	VerdictPartly:   "Some required checks did not run on these files.",
	VerdictOnlySaid: "No required check ran on these files.",
	VerdictFailed:   "A required check failed on these files.",
}

// NeedWords describe what a person has to do about each kind of need.
var NeedWords = map[string]string{
	"decision":   "Answer the question",
	"permission": "Allow or deny",
	"plan":       "Start the plan",
	"review":     "Review the result",
	"elsewhere":  "Answer in its terminal",
	"unchecked":  "Check the edits, or dismiss this",
}

// NeedNews announce a kind of need; they follow the agent's name.
var NeedNews = map[string]string{
	"decision":   "needs your answer",
	"permission": "asks for permission",
	"plan":       SayHasPlan,
	"review":     SayAsksForReview,
	"elsewhere":  "is waiting for you in its terminal",
	"unchecked":  SayEndedUnchecked,
}

// ConnectStateWords name the states of an item that can be connected.
var ConnectStateWords = map[ConnectState]string{
	ConnectConnected: "Connected",
	ConnectFound:     "Found",
	ConnectReady:     "Ready",
	ConnectMissing:   "Not found",
	ConnectProblem:   "Problem",
}

// ConnectGroupWords are the headings for groups of items to connect.
var ConnectGroupWords = map[ConnectGroup]string{
	ConnectDesks:  "Put real agents at the desks",
	ConnectGuests: "See agents that run elsewhere",
}

// ConnectGroups are the groups of items to connect, in the order in which they are shown.
var ConnectGroups = []ConnectGroup{ConnectDesks, ConnectGuests}

// OutpostLinkWords name the states of an outpost's connection.
var OutpostLinkWords = map[OutpostLink]string{
	OutpostLinkUp:     "Connected",
	OutpostLinkSilent: "No report",
	OutpostLinkDown:   "Gone",
}

// NoticeLevelWords are titles for workflow messages without a title.
var NoticeLevelWords = map[string]string{
	"info":    "Message",
	"success": "Success",
	"warning": "Warning",
	"error":   "Error",
}

// ChangeWords name the changes to a file that its diff lines do not show.
var ChangeWords = map[string]string{
	"write":  "whole file",
	"create": "new file",
	"append": "appended",
	"delete": "deleted",
	"rename": "renamed",
}

// CloseWords explain why a connection was closed. They cover the codes after which the client
// reconnects. %s is "page" or "terminal".
var CloseWords = map[CloseCode]string{
	CloseGoingAway:         "The office is restarting.",
	CloseOverloaded:        "The office is busy.",
	CloseHeartbeat:         "Connection lost (no heartbeat).",
	CloseSlowConsumer:      "This %s could not keep up.",
	CloseReplaced:          "Another connection took over.",
	CloseInsufficientState: "The office could not send the missed updates.",
}

// ToolSigns are the symbols that start the labels of the office's own tools.
var ToolSigns = map[string]string{
	"read":       "👁",
	"write":      "✏️",
	"edit":       "✏️",
	"append":     "✏️",
	"exec":       "⚡",
	"web_fetch":  "🌐",
	"web_search": "🔍",
	"browser":    "🧭",
	"canvas":     "🎨",
	"message":    "💬",
}

// BidiNames are the Unicode abbreviations that are shown in place of invisible characters that
// change the direction of text.
var BidiNames = map[string]string{
	"\u061C": "ALM", "\u200E": "LRM", "\u200F": "RLM", "\u202A": "LRE", "\u202B": "RLE", "\u202C": "PDF",
	"\u202D": "LRO", "\u202E": "RLO", "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI", "\u2069": "PDI",
}

// FeedKind is a timeline filter: a group of events.
type FeedKind struct {
	Key   string      `json:"key"`
	Words string      `json:"words"`
	Names []EventName `json:"names"`
}

// FeedKinds are the timeline's event filters.
var FeedKinds = []FeedKind{
	{"requests", "Requests and plans", []EventName{EventRequestSubmitted, EventRequestAccepted, EventKickoffStarted, EventKickoffFinished, EventTasksCreated}},
	{"work", "Work", []EventName{EventTaskAssigned, EventTaskStarted, EventTaskProgress, EventTaskBlocked, EventTaskDone, EventTaskCancelled, EventTaskPrepared, EventCheckFinished, EventTaskTreeChanged, EventCollisionSeen}},
	{"questions", "Questions", []EventName{EventDecisionRequested, EventDecisionResolved, EventDecisionCancelled}},
	{"deliveries", "Deliveries and reviews", []EventName{EventArtifactCreated, EventArtifactDelivered, EventReviewRequested, EventReviewApproved, EventReviewChangesRequested, EventReviewAssigned, EventReviewCommented, EventReviewFailed, EventLandingRequested, EventLandingChecked, EventLandingOpened, EventTaskLanded, EventLandingFailed}},
	{"people", "Crew and guests", []EventName{EventAgentJoined, EventAgentLeft, EventAgentStatus}},
	{"usage", "Usage", []EventName{EventUsageReported}},
	{"projects", "Projects", []EventName{EventProjectPaused, EventProjectResumed, EventProjectCompleted, EventProjectArchived}},
	{"audit", "Logins, answers and exports", []EventName{EventAudited, EventDecisionResolved, EventRuleAdded, EventRuleRevoked, EventRepoAdded, EventRepoRemoved, EventReviewApproved, EventReviewChangesRequested, EventLandingRequested}},
}

// Control is the button for a command that an agent may obey.
type Control struct {
	Command CommandName `json:"command"`
	Words   string      `json:"words"`
	Done    string      `json:"done"` // shown once the office has accepted the command
}

// Controls are an agent's buttons, in order.
var Controls = []Control{
	{CmdStopAgent, "Stop", "Stop requested."},
	{CmdKillAgent, "Kill", "Process killed."},
	{CmdNewSession, "New session", "Starting a new session."},
	{CmdSwitchAgent, "Switch", "Switched."},
	{CmdHandover, "Hand over", "Handed over."},
}

// Constraint describes one kind of constraint on a request, and the values that clients offer.
type Constraint struct {
	Kind   string   `json:"kind"`
	Values []string `json:"values"`
}

// Constraints are the constraints that clients offer for a request. A request can have at most one
// value of each kind.
var Constraints = []Constraint{
	{"audience", []string{"Customers", "Team", "Leadership"}},
	{"length", []string{"Short", "Thorough"}},
	{"tone", []string{"Friendly", "Formal"}},
}

// AcceptWord describes a kind of acceptance check: the word that its line starts with, a label, and
// an example of its value. A kind without an example has no value.
type AcceptWord struct {
	Word    string `json:"word"`
	Label   string `json:"label"`
	Example string `json:"example"`
}

// Line returns the acceptance line for a check of this kind; see ParseAccept.
func (w AcceptWord) Line(value string) string {
	if w.Example == "" {
		return w.Word
	}
	return w.Word + ": " + strings.TrimSpace(value)
}

// AcceptWords are the kinds of acceptance checks that clients offer for a request.
var AcceptWords = []AcceptWord{
	{"cmd", "A command succeeds", "go test ./cart"},
	{"file", "A file exists", "docs/cart.md"},
	{"url", "A URL answers", "http://127.0.0.1:8080/health"},
	{"agent", "An agent finds no problem", ""},
	{"person", "A person approves it", ""},
}

// Counted is a phrase that depends on a number: the form for 1, then "|", then the form for all
// other numbers, where %d is the number.
type Counted string

// Of returns the phrase for a number.
func (c Counted) Of(n int) string {
	one, many, _ := strings.Cut(string(c), "|")
	if n == 1 {
		return one
	}
	return fmt.Sprintf(many, n)
}
