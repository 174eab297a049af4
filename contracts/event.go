package contracts

// EventName is the name of a timeline event.
type EventName string

// Event names that the Realtime World Protocol defines, in the order in which a project produces
// them.
const (
	EventOfficeCreated          EventName = "office_created"
	EventRequestSubmitted       EventName = "request_submitted"
	EventRequestAccepted        EventName = "request_accepted"
	EventKickoffStarted         EventName = "kickoff_started"
	EventKickoffFinished        EventName = "kickoff_finished"
	EventTasksCreated           EventName = "tasks_created"
	EventTaskAssigned           EventName = "task_assigned"
	EventTaskStarted            EventName = "task_started"
	EventTaskProgress           EventName = "task_progress"
	EventTaskBlocked            EventName = "task_blocked"
	EventDecisionRequested      EventName = "decision_requested"
	EventDecisionResolved       EventName = "decision_resolved"
	EventArtifactCreated        EventName = "artifact_created"
	EventArtifactDelivered      EventName = "artifact_delivered"
	EventReviewRequested        EventName = "review_requested"
	EventReviewApproved         EventName = "review_approved"
	EventReviewChangesRequested EventName = "review_changes_requested"
	EventTaskDone               EventName = "task_done"
	EventResyncFallback         EventName = "resync_fallback_snapshot" // never recorded
)

// Event names that Bullpen adds to those of the protocol.
const (
	EventAgentJoined       EventName = "agent_joined"
	EventTaskCancelled     EventName = "task_cancelled"
	EventDecisionCancelled EventName = "decision_cancelled"
	EventProjectPaused     EventName = "project_paused"
	EventProjectResumed    EventName = "project_resumed"
	EventProjectCompleted  EventName = "project_completed"
	EventProjectArchived   EventName = "project_archived"
	EventAgentStatus       EventName = "agent_status"
	EventAgentLeft         EventName = "agent_left"
	EventUsageReported     EventName = "usage_reported"
	EventAgentReset        EventName = "agent_reset"
	EventAgentSwitched     EventName = "agent_switched"
	EventAudited           EventName = "audited"         // Kind is the audited operation: login, export or revocation
	EventRecordRedacted    EventName = "record_redacted" // the text of an earlier record was erased
	EventRoomOpened        EventName = "room_opened"
	EventRoomChanged       EventName = "room_changed"
	EventRoomClosed        EventName = "room_closed"
	EventRuleAdded         EventName = "rule_added"
	EventRuleRevoked       EventName = "rule_revoked"
	EventRepoAdded         EventName = "repo_added" // a repository was added, or its target branch or remote changed
	EventRepoRemoved       EventName = "repo_removed"
	EventTaskPrepared      EventName = "task_prepared"     // the task has a worktree
	EventCheckFinished     EventName = "check_finished"    // a check ran on the task's files
	EventTaskTreeChanged   EventName = "task_tree_changed" // files changed after they were delivered
	EventLandingRequested  EventName = "landing_requested"
	EventLandingChecked    EventName = "landing_checked" // a dry run found no obstacle
	EventLandingOpened     EventName = "landing_opened"  // a pull request is open for the landing
	EventTaskLanded        EventName = "task_landed"
	EventLandingFailed     EventName = "landing_failed"
	EventCollisionSeen     EventName = "collision_seen"
	EventReviewAssigned    EventName = "review_assigned"  // an agent was asked to review a patch
	EventReviewCommented   EventName = "review_commented" // an agent has reviewed a patch
	EventReviewFailed      EventName = "review_failed"    // an agent failed to review a patch, or no agent can review it
)

// Event is the payload of an `event` message without its seq. As in the Realtime World
// Protocol, it is flat: each event uses the fields it needs. New rows (project, tasks, decision,
// artifact, decor, room, rule, repo, worktree, check, landing, collision, review) are included in
// full, so that folding the timeline needs nothing else.
type Event struct {
	Name         EventName      `json:"name"`
	ProjectID    string         `json:"project_id,omitzero"`
	TaskID       string         `json:"task_id,omitzero"`
	AgentID      string         `json:"agent_id,omitzero"`
	ArtifactID   string         `json:"artifact_id,omitzero"`
	DecisionID   string         `json:"decision_id,omitzero"`
	POIID        string         `json:"poi_id,omitzero"`
	SceneID      string         `json:"scene_id,omitzero"`
	OfficeID     string         `json:"office_id,omitzero"`
	Participants []string       `json:"participants,omitzero"`
	Kind         string         `json:"kind,omitzero"`
	Percent      int            `json:"percent,omitzero"`
	PreviewText  string         `json:"preview_text,omitzero"`
	Attempt      int            `json:"attempt,omitzero"`
	RunID        string         `json:"run_id,omitzero"`
	Auto         bool           `json:"auto,omitzero"`          // assigned by auto_assign
	FromAgentID  string         `json:"from_agent_id,omitzero"` // the previous agent of a reassigned task
	Choice       string         `json:"choice,omitzero"`
	Choices      []string       `json:"choices,omitzero"`
	Note         string         `json:"note,omitzero"`
	Instructions string         `json:"instructions,omitzero"`
	Reason       string         `json:"reason,omitzero"`
	LastSeq      uint64         `json:"last_seq,omitzero"`
	Project      *Project       `json:"project,omitzero"`
	Tasks        []Task         `json:"tasks,omitzero"`
	Decision     *Decision      `json:"decision,omitzero"`
	Artifact     *Artifact      `json:"artifact,omitzero"`
	Decor        *Decor         `json:"decor,omitzero"`
	Agents       []AgentProfile `json:"agents,omitzero"`
	Status       *AgentStatus   `json:"status,omitzero"`
	Usage        *Usage         `json:"usage,omitzero"`
	TurnID       string         `json:"turn_id,omitzero"`
	By           string         `json:"by,omitzero"`  // the principal that answered or reviewed, or that caused the audited event
	Via          string         `json:"via,omitzero"` // how the principal in By was authenticated
	Redaction    *Redaction     `json:"redaction,omitzero"`
	Room         *Room          `json:"room,omitzero"`
	RoomID       string         `json:"room_id,omitzero"`
	RuleID       string         `json:"rule_id,omitzero"` // the rule that answered a permission request, or that was added or revoked
	Rule         *Rule          `json:"rule,omitzero"`
	Repo         *Repo          `json:"repo,omitzero"`
	Worktree     *Worktree      `json:"worktree,omitzero"`
	Check        *CheckResult   `json:"check,omitzero"`
	Tree         string         `json:"tree,omitzero"` // in task_tree_changed: git tree of the files in the task's worktree
	Landing      *Landing       `json:"landing,omitzero"`
	Collision    *Collision     `json:"collision,omitzero"`
	Review       *Review        `json:"review,omitzero"`
	Meta         *Meta          `json:"meta,omitzero"`
}

// Meta is the display text of an event.
type Meta struct {
	Title   string `json:"title,omitzero"`
	Summary string `json:"summary,omitzero"`
}
