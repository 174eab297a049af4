package contracts

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Vec3 is a point or direction in the room, in metres, with y up.
type Vec3 [3]float64

// AgentState is an agent's current activity in the room.
type AgentState string

// The agent states.
const (
	StateIdle       AgentState = "IdleAtHome"
	StateWalking    AgentState = "WalkingToPOI"
	StateWorking    AgentState = "WorkingAtPOI"
	StateMeeting    AgentState = "InMeeting"
	StateDelivering AgentState = "DeliveringArtifact"
	StateSeeking    AgentState = "SeekingUserDecision"
	StateToPlayer   AgentState = "WalkingToPlayer"
	StateWaiting    AgentState = "BlockedWaiting"
	StateOffline    AgentState = "Offline"
)

// TaskStatus is the state of a task.
type TaskStatus string

// Task statuses. Done and cancelled are final.
const (
	TaskPlanned    TaskStatus = "planned"
	TaskInProgress TaskStatus = "in_progress"
	TaskBlocked    TaskStatus = "blocked"
	TaskReview     TaskStatus = "review"
	TaskDone       TaskStatus = "done"
	TaskCancelled  TaskStatus = "cancelled"
)

// Final reports whether the status can no longer change.
func (s TaskStatus) Final() bool { return s == TaskDone || s == TaskCancelled }

// ProjectStatus is the state of a project. It is derived from the project's tasks, unless the
// project is paused or archived.
type ProjectStatus string

// Project statuses.
const (
	ProjectPlanning  ProjectStatus = "planning"
	ProjectExecuting ProjectStatus = "executing"
	ProjectBlocked   ProjectStatus = "blocked"
	ProjectPaused    ProjectStatus = "paused"
	ProjectCompleted ProjectStatus = "completed"
	ProjectArchived  ProjectStatus = "archived"
)

// DecisionStatus is the state of a decision.
type DecisionStatus string

// Decision statuses.
const (
	DecisionOpen      DecisionStatus = "open"
	DecisionResolved  DecisionStatus = "resolved"
	DecisionCancelled DecisionStatus = "cancelled"
)

// ArtifactStatus is the state of an artifact version.
type ArtifactStatus string

// Artifact statuses.
const (
	ArtifactCreated          ArtifactStatus = "created"
	ArtifactDelivered        ArtifactStatus = "delivered"
	ArtifactInReview         ArtifactStatus = "in_review"
	ArtifactApproved         ArtifactStatus = "approved"
	ArtifactChangesRequested ArtifactStatus = "changes_requested"
	ArtifactSuperseded       ArtifactStatus = "superseded"
	ArtifactArchived         ArtifactStatus = "archived"
)

// RunStatus is the state of a run.
type RunStatus string

// Run statuses.
const (
	RunStarted   RunStatus = "started"
	RunRunning   RunStatus = "running"
	RunCompleted RunStatus = "completed"
	RunFailed    RunStatus = "failed"
	RunCancelled RunStatus = "cancelled"
)

// AgentProfile describes an agent. Only a record can change a profile.
type AgentProfile struct {
	AgentID string `json:"agent_id"`
	Name    string `json:"name"`
	Role    Role   `json:"role"`
	Runner  string `json:"runner,omitzero"` // rehearsal, openai, claude …
	Home    string `json:"home_poi_id,omitzero"`

	// Set only for guests, which the office watches but does not assign tasks to.
	Source   string `json:"source,omitzero"`    // claude, openclaw, bridge, ui
	ParentID string `json:"parent_id,omitzero"` // the agent that started this sub-agent
	Session  string `json:"session,omitzero"`   // the session that its HUD facts belong to
	Place    string `json:"place,omitzero"`     // where the agent works, for display
	Repo     string `json:"repo,omitzero"`      // the repository or folder that its work belongs to; never changes once set
	Model    string `json:"model,omitzero"`
	Outpost  string `json:"outpost,omitzero"` // the outpost that reported the agent; empty if the office watches the agent directly
	Node     string `json:"node,omitzero"`    // the node that watches the agent, if the office has several nodes; empty for guests of outposts
	RoomID   string `json:"room_id,omitzero"` // the room that the office assigned to the agent; empty means the house
	SeatID   string `json:"seat_id,omitzero"` // the anchor of the agent's own desk in its room; empty for sub-agents and in the house

	// Controls are the commands that the agent obeys, set by its adapter; nil means its source's
	// default. In a snapshot, Controls is always set to the result of Sources.Obeyed.
	Controls []CommandName `json:"controls,omitzero"`
}

// Guest reports whether the agent is a guest: it works elsewhere, and the office gives it no tasks.
func (p *AgentProfile) Guest() bool { return p.Source != "" }

// LeavesAfter returns how long an offline guest stays in the office.
func (p *AgentProfile) LeavesAfter() time.Duration {
	if p.ParentID != "" {
		return OfflineSubagentStay
	}
	return OfflineGuestStay
}

// Equal reports whether all fields of two profiles are equal. Sources.Same also treats missing
// controls as equal to the source's default.
func (p AgentProfile) Equal(q AgentProfile) bool {
	return p.AgentID == q.AgentID && p.Name == q.Name && p.Role == q.Role && p.Runner == q.Runner && p.Home == q.Home &&
		p.Source == q.Source && p.ParentID == q.ParentID && p.Session == q.Session && p.Place == q.Place && p.Repo == q.Repo && p.Model == q.Model && p.Outpost == q.Outpost && p.Node == q.Node && p.RoomID == q.RoomID && p.SeatID == q.SeatID &&
		(p.Controls == nil) == (q.Controls == nil) && slices.Equal(p.Controls, q.Controls)
}

// Role is an agent's area of expertise.
type Role string

// The roles of the built-in crew.
const (
	RoleBD         Role = "bd"
	RoleResearcher Role = "researcher"
	RoleWriter     Role = "writer"
	RoleDesigner   Role = "designer"
	RoleEngineer   Role = "engineer"
	RoleStrategist Role = "strategist"
	RoleReviewer   Role = "reviewer"
	RoleGuest      Role = "guest" // agents that work elsewhere
)

// TaskKind is the kind of work that a task asks for.
type TaskKind string

// The kinds of work that planners create tasks for.
const (
	KindResearch TaskKind = "research"
	KindPlan     TaskKind = "plan"
	KindCopy     TaskKind = "copy"
	KindDesign   TaskKind = "design"
	KindCode     TaskKind = "code"
	KindReview   TaskKind = "review"
)

// Agent is an agent in a snapshot.
type Agent struct {
	AgentProfile
	State      AgentState `json:"state"`
	Pos        Vec3       `json:"pos"`
	Facing     Vec3       `json:"facing"`
	Goal       Goal       `json:"goal,omitzero"`
	TaskID     string     `json:"task_id,omitzero"`
	StatusLine string     `json:"status_line,omitzero"`
	NeedsYou   bool       `json:"needs_you,omitzero"`
	Why        string     `json:"why,omitzero"`

	Activity  Activity       `json:"activity,omitzero"`  // guests only
	Authority EvidenceSource `json:"authority,omitzero"` // guests only: the source of the deciding evidence
	Since     int64          `json:"since,omitzero"`     // guests only
	Said      string         `json:"said,omitzero"`      // the start of the agent's last answer
	Usage     *UsageTotal    `json:"usage,omitzero"`
	Context   int64          `json:"context,omitzero"` // tokens that the model read for the agent's last message
	NodeSeq   uint64         `json:"-"`                // guests only: seq of the record that set Node
	Checked   *Checked       `json:"checked,omitzero"` // nil if no edit has been seen

	Turns []OpenTurn `json:"turns,omitzero"` // oldest first; if there are too many, only the newest are listed
}

// OpenTurn is a turn in progress.
type OpenTurn struct {
	TurnID      string     `json:"turn_id"`
	Session     string     `json:"session,omitzero"` // the conversation
	Origin      string     `json:"origin,omitzero"`
	TaskID      string     `json:"task_id,omitzero"`
	Label       string     `json:"label,omitzero"`
	Since       int64      `json:"since"`
	Calls       []OpenCall `json:"calls,omitzero"`        // oldest first; if there are too many, only the newest are listed
	DecisionIDs []string   `json:"decision_ids,omitzero"` // its open questions
}

// OpenCall is a tool call, or a period of thinking, in progress.
type OpenCall struct {
	CallID string `json:"call_id"`
	Tool   string `json:"tool,omitzero"` // empty for thinking
	Label  string `json:"label,omitzero"`
	Since  int64  `json:"since"`
}

// Project is a request and its outcome.
type Project struct {
	ProjectID   string         `json:"project_id"`
	Title       string         `json:"title"`
	Status      ProjectStatus  `json:"status"`
	Request     string         `json:"request,omitzero"`
	Constraints map[string]any `json:"constraints,omitzero"`
	Attachments []any          `json:"attachments,omitzero"`
	AutoAssign  bool           `json:"auto_assign,omitzero"` // the office assigns the project's tasks
	Repo        string         `json:"repo,omitzero"`        // name of the repository that the project belongs to
	Accept      []string       `json:"accept,omitzero"`      // acceptance checks for its tasks; see ParseAccept
	CreatedAt   int64          `json:"created_at,omitzero"`
	UpdatedAt   int64          `json:"updated_at,omitzero"`
	ArchivedAt  int64          `json:"archived_at,omitzero"`
}

// Task is one piece of work in a project.
type Task struct {
	TaskID        string     `json:"task_id"`
	ProjectID     string     `json:"project_id"`
	Title         string     `json:"title"`
	Description   string     `json:"description,omitzero"`
	Kind          TaskKind   `json:"kind,omitzero"`
	Status        TaskStatus `json:"status"`
	Assignee      string     `json:"assignee,omitzero"`
	Priority      int        `json:"priority,omitzero"`
	BlockedReason string     `json:"blocked_reason,omitzero"`
	Attempt       int        `json:"attempt,omitzero"`
	Percent       int        `json:"percent,omitzero"`
	RerunOf       string     `json:"rerun_of,omitzero"`
	SplitFrom     string     `json:"split_from,omitzero"`
	CreatedAt     int64      `json:"created_at,omitzero"`
	UpdatedAt     int64      `json:"updated_at,omitzero"`

	Usage *UsageTotal `json:"usage,omitzero"`

	// Set only for tasks in a repository.
	Worktree *Worktree `json:"worktree,omitzero"`
	Tree     string    `json:"tree,omitzero"` // git tree of the files that were last checked, delivered or seen in this attempt
	Landing  *Landing  `json:"landing,omitzero"`

	// Derived, never recorded.
	Verdict    Verdict       `json:"verdict,omitzero"` // empty if Tree is empty
	Checks     []CheckResult `json:"checks,omitzero"`  // for each check, the newest result for Tree or, if there is none, the newest result for any tree
	Collisions []Collision   `json:"collisions,omitzero"`
}

// DecisionKind determines the effect of the answer to a decision.
type DecisionKind string

// Kinds of decisions.
const (
	DecisionQuestion   DecisionKind = "question"   // the answer is passed to the worker
	DecisionRetry      DecisionKind = "retry"      // the run failed: retry or cancel
	DecisionAsk        DecisionKind = "ask"        // a workflow or an agent's program is waiting for the answer
	DecisionPermission DecisionKind = "permission" // asks whether a tool may run; answering requires the operator credential
	DecisionUnchecked  DecisionKind = "unchecked"  // reports a session whose edits were not checked successfully; nothing waits for the answer
)

// Decision is a question that a person answers; a policy rule may answer a permission request.
type Decision struct {
	DecisionID    string         `json:"decision_id"`
	ProjectID     string         `json:"project_id,omitzero"` // empty for questions from scripts and guests
	Kind          DecisionKind   `json:"kind,omitzero"`
	TaskID        string         `json:"task_id,omitzero"`
	Status        DecisionStatus `json:"status"`
	Prompt        string         `json:"prompt"`
	Options       []string       `json:"options"`
	Descriptions  []string       `json:"descriptions,omitzero"` // what each option means, in the order of Options
	Multiple      bool           `json:"multiple,omitzero"`     // any number of options may be chosen
	Header        string         `json:"header,omitzero"`       // the topic, in a word or two
	AllowFreeText bool           `json:"allow_free_text,omitzero"`
	Choice        string         `json:"choice,omitzero"`
	Choices       []string       `json:"choices,omitzero"` // all chosen options, if Multiple is set
	Note          string         `json:"note,omitzero"`
	AskedBy       string         `json:"asked_by,omitzero"`
	AskedAt       int64          `json:"asked_at,omitzero"`
	ExpiresAt     int64          `json:"expires_at,omitzero"`
	Reason        string         `json:"reason,omitzero"`  // why it was cancelled
	RuleID        string         `json:"rule_id,omitzero"` // the rule that answered it; empty if a person did
	Permission    *Permission    `json:"permission,omitzero"`
	Session       *EndedSession  `json:"session,omitzero"`     // the session, if Kind is DecisionUnchecked
	AlwaysAdds    *Rule          `json:"always_adds,omitzero"` // the rule that OptionAlways adds to the policy
	NoRule        string         `json:"no_rule,omitzero"`     // why OptionAlways adds no rule
	OfficeOnly    bool           `json:"office_only,omitzero"` // only the office handles OptionAlways; the asking program receives OptionAllow instead
	TurnID        string         `json:"turn_id,omitzero"`     // the turn that asked; the question is withdrawn when that turn ends
	// Owner is the id of the owner that is waiting for the answer. If Owner is empty, the question
	// stays open until it is answered or expires.
	Owner string `json:"owner,omitzero"`
}

// Asks reports whether the decision is open and something is waiting for the answer.
func (d *Decision) Asks() bool { return d.Status == DecisionOpen && d.Kind != DecisionUnchecked }

// OptionDismiss is the only answer to a decision of kind DecisionUnchecked.
const OptionDismiss = "Dismiss"

// Permission is the tool call that a decision is about: either the call needs permission to run, or
// the call asks a question. Answering such a decision requires the operator credential, unless a
// policy rule answers it.
type Permission struct {
	Tool   string         `json:"tool"`
	Args   jsontext.Value `json:"args,omitzero"` // redacted and bounded
	Label  string         `json:"label,omitzero"`
	CallID string         `json:"call_id,omitzero"`
	Place  string         `json:"place,omitzero"`  // where the call would run
	Grants string         `json:"grants,omitzero"` // what "always" would allow from now on
}

// Options of a permission decision. OptionAlways is offered only if the asking program suggests a
// rule, or if an office rule can describe the call.
const (
	OptionAllow  = "Allow once"
	OptionAlways = "Always allow"
	OptionDeny   = "Deny"
)

// Artifact is one version of a deliverable. Its content is stored under SHA256.
type Artifact struct {
	ArtifactID string         `json:"artifact_id"`
	ProjectID  string         `json:"project_id"`
	TaskID     string         `json:"task_id,omitzero"`
	Type       string         `json:"type"`
	Title      string         `json:"title,omitzero"`
	Status     ArtifactStatus `json:"status"`
	Version    int            `json:"version"`
	Parent     string         `json:"parent,omitzero"`
	MIME       string         `json:"mime,omitzero"`
	Bytes      int            `json:"bytes,omitzero"`
	SHA256     string         `json:"sha256,omitzero"`
	POIID      string         `json:"poi_id,omitzero"`
	CreatedBy  string         `json:"created_by,omitzero"`
	Rehearsal  bool           `json:"rehearsal,omitzero"`

	// Set only for a patch.
	Tree    string    `json:"tree,omitzero"` // git tree of the delivered files
	Base    string    `json:"base,omitzero"` // commit that the patch applies to
	Stat    *DiffStat `json:"stat,omitzero"`
	Reviews []Review  `json:"reviews,omitzero"` // reviews by other agents: one per agent, at most LimitReviews
}

// Decor is a trophy at one of the scene's decor anchors.
type Decor struct {
	DecorID    string `json:"decor_id"`
	AnchorID   string `json:"anchor_id"`
	UnlockedBy string `json:"unlocked_by_project_id"`
	Outcome    string `json:"outcome,omitzero"`
}

// Player is a person in the room. Players are kept in memory only.
type Player struct {
	PlayerID string `json:"player_id"`
	Name     string `json:"name,omitzero"`
	Pos      Vec3   `json:"pos"`
	Facing   Vec3   `json:"facing"`
	Since    int64  `json:"since"`
}

// Run is one attempt at a task by a runner.
type Run struct {
	RunID     string    `json:"run_id"`
	TaskID    string    `json:"task_id"`
	Attempt   int       `json:"attempt"`
	AgentID   string    `json:"agent_id"`
	Runner    string    `json:"runner"`
	Status    RunStatus `json:"status"`
	Reason    string    `json:"reason,omitzero"`
	TokensIn  int       `json:"tokens_in,omitzero"`
	TokensOut int       `json:"tokens_out,omitzero"`
	CostUSD   *float64  `json:"cost_usd,omitzero"` // nil means unknown, not zero
	StartedAt int64     `json:"started_at,omitzero"`
	EndedAt   int64     `json:"ended_at,omitzero"`
}
