package contracts

import (
	"maps"
	"slices"
)

// CommandName is a command's name on the wire.
type CommandName string

// Commands of the Realtime World Protocol, followed by Bullpen's own commands.
const (
	CmdSubmitRequest   CommandName = "submit_request"
	CmdAssignTask      CommandName = "assign_task"
	CmdAutoAssign      CommandName = "auto_assign"
	CmdResolveDecision CommandName = "resolve_decision"
	CmdApproveArtifact CommandName = "approve_artifact"
	CmdRequestChanges  CommandName = "request_changes"
	CmdSplitIntoTasks  CommandName = "split_into_tasks"
	CmdPlayerPos       CommandName = "player_pos"
	CmdMovePlayerTo    CommandName = "move_player_to"

	CmdStartKickoff  CommandName = "start_kickoff"
	CmdReassignTask  CommandName = "reassign_task"
	CmdCancelTask    CommandName = "cancel_task"
	CmdPauseProject  CommandName = "pause_project"
	CmdResumeProject CommandName = "resume_project"
	CmdRerunTask     CommandName = "rerun_task"
	CmdChat          CommandName = "chat"
	CmdNewSession    CommandName = "new_session"
	CmdSwitchAgent   CommandName = "switch_agent"
	CmdStopAgent     CommandName = "stop_agent"
	CmdKillAgent     CommandName = "kill_agent"
	CmdHandover      CommandName = "handover"
	CmdRevokeRule    CommandName = "revoke_rule"
	CmdAddRepo       CommandName = "add_repo"
	CmdRemoveRepo    CommandName = "remove_repo"
	CmdLandTask      CommandName = "land_task"
	CmdAskReview     CommandName = "ask_review"
)

// CommandData is the typed `data` of a command.
type CommandData interface{ CommandName() CommandName }

// SubmitRequest asks the office to do some work; the request becomes a project.
type SubmitRequest struct {
	Text        string         `json:"text"`
	Constraints map[string]any `json:"constraints,omitzero"`
	Attachments []any          `json:"attachments,omitzero"`
	AutoAssign  bool           `json:"auto_assign,omitzero"` // assign the tasks once they are planned
	Repo        string         `json:"repo,omitzero"`        // name of the repository to work in
	Accept      []string       `json:"accept,omitzero"`      // acceptance checks; see ParseAccept
}

// AssignTask assigns a planned task to a free agent.
type AssignTask struct {
	TaskID             string     `json:"task_id"`
	AgentID            string     `json:"agent_id"`
	ExpectedTaskStatus TaskStatus `json:"expected_task_status,omitzero"`
}

// AutoAssign lets the office assign the project's planned tasks by role.
type AutoAssign struct {
	ProjectID string `json:"project_id"`
}

// ResolveDecision answers an open decision.
type ResolveDecision struct {
	DecisionID             string         `json:"decision_id"`
	Choice                 string         `json:"choice"`
	Choices                []string       `json:"choices,omitzero"` // all chosen options, including Choice, if several are allowed
	Note                   string         `json:"note,omitzero"`
	ExpectedDecisionStatus DecisionStatus `json:"expected_decision_status,omitzero"`
}

// ApproveArtifact accepts a delivered artifact.
type ApproveArtifact struct {
	ArtifactID             string         `json:"artifact_id"`
	ExpectedArtifactStatus ArtifactStatus `json:"expected_artifact_status,omitzero"`
}

// RequestChanges sends a delivered artifact back and asks for a new version.
type RequestChanges struct {
	ArtifactID             string         `json:"artifact_id"`
	Instructions           string         `json:"instructions"`
	WithFindings           bool           `json:"with_findings,omitzero"` // add the findings of the agents that reviewed the artifact
	ExpectedArtifactStatus ArtifactStatus `json:"expected_artifact_status,omitzero"`
}

// SplitIntoTasks accepts a delivered artifact and creates follow-up tasks from it.
type SplitIntoTasks struct {
	ArtifactID             string         `json:"artifact_id"`
	TaskTitles             []string       `json:"task_titles"`
	ExpectedArtifactStatus ArtifactStatus `json:"expected_artifact_status,omitzero"`
}

// PlayerPos reports the position of the sender's avatar.
type PlayerPos struct {
	Pos    Vec3  `json:"pos"`
	Facing *Vec3 `json:"facing,omitzero"`
}

// MovePlayerTo asks the server to move the sender's avatar.
type MovePlayerTo struct {
	Pos   *Vec3  `json:"pos,omitzero"`
	POIID string `json:"poi_id,omitzero"`
}

// StartKickoff starts the kickoff that a project is waiting for.
type StartKickoff struct {
	ProjectID string `json:"project_id"`
}

// ReassignTask moves an open task to another agent, which must be free.
type ReassignTask struct {
	TaskID             string     `json:"task_id"`
	ToAgentID          string     `json:"to_agent_id"`
	ExpectedTaskStatus TaskStatus `json:"expected_task_status,omitzero"`
}

// CancelTask ends an open task; confirm must be true.
type CancelTask struct {
	TaskID             string     `json:"task_id"`
	Confirm            bool       `json:"confirm"`
	Reason             string     `json:"reason,omitzero"`
	ExpectedTaskStatus TaskStatus `json:"expected_task_status,omitzero"`
}

// PauseProject pauses a project's work.
type PauseProject struct {
	ProjectID string `json:"project_id"`
}

// ResumeProject continues a paused project.
type ResumeProject struct {
	ProjectID string `json:"project_id"`
}

// RerunTask creates a new copy of a task that is done or cancelled.
type RerunTask struct {
	SourceTaskID string `json:"source_task_id"`
	Reason       string `json:"reason,omitzero"`
}

// Say is the data of the `chat` command and the payload of an inbound `chat` message.
type Say struct {
	ThreadID string `json:"thread_id,omitzero"`
	Text     string `json:"text"`
	To       string `json:"to,omitzero"`
}

// AgentControl is the data of new_session, switch_agent, stop_agent, kill_agent and handover; Name
// identifies the command.
type AgentControl struct {
	Name      CommandName `json:"-"`
	AgentID   string      `json:"agent_id"`
	Session   string      `json:"session,omitzero"`
	ToAgentID string      `json:"to_agent_id,omitzero"`
}

// RevokeRule removes a rule that a person added by answering a permission request.
type RevokeRule struct {
	RuleID string `json:"rule_id"`
}

// AddRepo adds a git repository for the office to work in, or changes the target branch or the
// accepted remote of a repository that was added earlier.
type AddRepo struct {
	Path   string `json:"path"`
	Name   string `json:"name,omitzero"`   // default: the base name of the directory, made unique
	Target string `json:"target,omitzero"` // branch; default: the branch that is checked out
	Node   string `json:"node,omitzero"`   // the node that has the repository; the server sets it
	Remote string `json:"remote,omitzero"` // accept this address for pull requests; it must be the remote's current address
	Found  string `json:"found,omitzero"`  // the remote's current address, recorded if the repository is new; the server sets it
}

// RemoveRepo removes a repository from the office. The repository itself is not changed.
type RemoveRepo struct {
	Repo string `json:"repo"` // name of the repository
}

// LandTask lands a task's approved work in the target branch of its repository.
type LandTask struct {
	TaskID         string  `json:"task_id"`
	How            LandHow `json:"how"`
	DryRun         bool    `json:"dry_run,omitzero"`         // only find out whether the landing would succeed
	AcceptUnproven bool    `json:"accept_unproven,omitzero"` // land even if the checks do not prove these files
}

// AskReview asks an agent to review a patch. An agent cannot review a patch that it worked on.
type AskReview struct {
	ArtifactID string `json:"artifact_id"`
	AgentID    string `json:"agent_id,omitzero"` // default: the office chooses
}

func (SubmitRequest) CommandName() CommandName   { return CmdSubmitRequest }
func (AssignTask) CommandName() CommandName      { return CmdAssignTask }
func (AutoAssign) CommandName() CommandName      { return CmdAutoAssign }
func (ResolveDecision) CommandName() CommandName { return CmdResolveDecision }
func (ApproveArtifact) CommandName() CommandName { return CmdApproveArtifact }
func (RequestChanges) CommandName() CommandName  { return CmdRequestChanges }
func (SplitIntoTasks) CommandName() CommandName  { return CmdSplitIntoTasks }
func (PlayerPos) CommandName() CommandName       { return CmdPlayerPos }
func (MovePlayerTo) CommandName() CommandName    { return CmdMovePlayerTo }
func (StartKickoff) CommandName() CommandName    { return CmdStartKickoff }
func (ReassignTask) CommandName() CommandName    { return CmdReassignTask }
func (CancelTask) CommandName() CommandName      { return CmdCancelTask }
func (PauseProject) CommandName() CommandName    { return CmdPauseProject }
func (ResumeProject) CommandName() CommandName   { return CmdResumeProject }
func (RerunTask) CommandName() CommandName       { return CmdRerunTask }
func (RevokeRule) CommandName() CommandName      { return CmdRevokeRule }
func (AddRepo) CommandName() CommandName         { return CmdAddRepo }
func (RemoveRepo) CommandName() CommandName      { return CmdRemoveRepo }
func (LandTask) CommandName() CommandName        { return CmdLandTask }
func (AskReview) CommandName() CommandName       { return CmdAskReview }
func (Say) CommandName() CommandName             { return CmdChat }
func (c AgentControl) CommandName() CommandName  { return c.Name }

// AccessRole is the set of rights that a credential grants. It never depends on a
// client's claims.
type AccessRole string

// The access roles.
const (
	AccessViewer   AccessRole = "viewer"
	AccessOperator AccessRole = "operator"
	AccessAgent    AccessRole = "agent"
	AccessOutpost  AccessRole = "outpost" // reports the facts of one outpost and reads the state that the outpost needs
)

// Principal is the authenticated sender of a request.
type Principal struct {
	ID     string // the credential's id; "local" for the open loopback listener
	Via    string // how the sender was authenticated, for the audit log: a browser session, a named token …
	Access AccessRole
	Permit bool // whether the sender has the operator credential, which is required for permission requests, repositories, patches, landing, rules and acceptance checks

	// AgentID is the only agent that a credential with the agent role may act as; empty means any
	// agent.
	AgentID string

	// Outpost is the outpost that a credential with the outpost role belongs to.
	Outpost string
}

// Caller is the sender of a command.
type Caller struct {
	Identity string     // credential plus client id; command ids are unique within it
	By, Via  string     // the principal and how it was authenticated; never taken from the client's claims
	Access   AccessRole // determined by the credential alone
	Permit   bool       // whether the sender has the operator credential, which is required for permission requests, repositories, patches, landing, rules and acceptance checks
	PlayerID string     // the caller's avatar, if it has one
	Name     string     // the client's own name for itself
}

// Command is a validated command for the director.
type Command struct {
	ID     string
	Caller Caller
	Data   CommandData
}

// Reply is the final answer to a command: a nil Refusal means ack.
type Reply struct {
	Seq       uint64 // the last record that the command created
	Duplicate bool
	Result    Result
	Refusal   *Refusal
}

// Result names the rows that a command created or changed.
type Result struct {
	ProjectID   string       `json:"project_id,omitzero"`
	TaskIDs     []string     `json:"task_ids,omitzero"`
	Assignments []Assignment `json:"assignments,omitzero"`
	ArtifactID  string       `json:"artifact_id,omitzero"`
	DecisionID  string       `json:"decision_id,omitzero"`
	RuleID      string       `json:"rule_id,omitzero"` // the rule that answered the decision, or the rule that the answer added
	Repo        string       `json:"repo,omitzero"`    // name of the repository that was added or removed
	Path        []Vec3       `json:"path,omitzero"`
	SpeedMPS    float64      `json:"speed_mps,omitzero"`
}

// Assignment pairs a task with the agent that it was assigned to.
type Assignment struct {
	TaskID  string `json:"task_id"`
	AgentID string `json:"agent_id"`
}

// WithTexts returns a copy of d with change applied to all text that a person typed, but not to
// ids.
func WithTexts(d CommandData, change func(string) string) CommandData {
	list := func(texts []string) []string {
		texts = slices.Clone(texts)
		for i := range texts {
			texts[i] = change(texts[i])
		}
		return texts
	}
	switch d := d.(type) {
	case SubmitRequest:
		d.Text = change(d.Text)
		if d.Constraints != nil {
			d.Constraints = walk(d.Constraints, change, change).(map[string]any)
		}
		if d.Attachments != nil {
			d.Attachments = walk(d.Attachments, change, change).([]any)
		}
		if d.Accept != nil {
			d.Accept = list(d.Accept)
		}
		return d
	case ResolveDecision:
		d.Choice, d.Choices, d.Note = change(d.Choice), list(d.Choices), change(d.Note)
		return d
	case RequestChanges:
		d.Instructions = change(d.Instructions)
		return d
	case SplitIntoTasks:
		d.TaskTitles = list(d.TaskTitles)
		return d
	case CancelTask:
		d.Reason = change(d.Reason)
		return d
	case RerunTask:
		d.Reason = change(d.Reason)
		return d
	case Say:
		d.Text = change(d.Text)
		return d
	}
	return d
}

// walk returns a copy of a free-form value with name applied to its member names and text to its
// other strings. Members are visited in order, so that name collisions always resolve the same way.
func walk(v any, name, text func(string) string) any {
	switch v := v.(type) {
	case string:
		return text(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = walk(v[i], name, text)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, member := range slices.Sorted(maps.Keys(v)) {
			out[name(member)] = walk(v[member], name, text)
		}
		return out
	}
	return v
}
