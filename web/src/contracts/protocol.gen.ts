// Generated from contracts/schemas by "npm run gen:contracts". Do not edit.
// Members that a later version adds are allowed on the wire and not listed here.

/**
 * Sent whenever an agent's intent changes.
 */
export type AgentGoalMessage = Envelope & {
  type: "agent_goal";
  payload: AgentGoal;
};
export type MessageType =
  | "hello"
  | "hello_ack"
  | "subscribe"
  | "event"
  | "snapshot"
  | "segment"
  | "agent_goal"
  | "agent_stream"
  | "chat"
  | "command"
  | "ack"
  | "error"
  | "ping"
  | "pong"
  | "hud"
  | "ui";
/**
 * 1 to 128 printable bytes, unique per sender; used for de-duplication. msg_unknown is reserved for the server.
 */
export type MessageId = string;
/**
 * A sequence number in the ledger.
 */
export type Seq = number;
/**
 * Identifies an agent.
 */
export type AgentId = string;
export type GoalKind =
  "go_to_poi" | "go_to_player" | "deliver_artifact" | "go_home" | "idle" | "attend_meeting" | "work" | "wait_for_user";
/**
 * Identifies a place in the scene.
 */
export type PoiId = string;
/**
 * Identifies a spot in the scene: a seat of a POI or a decor anchor.
 */
export type AnchorId = string;
/**
 * Identifies a person in the room.
 */
export type PlayerId = string;
/**
 * A point or direction [x, y, z] in metres, y up, floor y=0.
 *
 * @minItems 3
 * @maxItems 3
 */
export type Vec3 = [number, number, number];
/**
 * Unix time in milliseconds.
 */
export type Millis = number;
export type AgentState =
  | "IdleAtHome"
  | "WalkingToPOI"
  | "WorkingAtPOI"
  | "InMeeting"
  | "DeliveringArtifact"
  | "SeekingUserDecision"
  | "WalkingToPlayer"
  | "BlockedWaiting"
  | "Offline";
/**
 * Identifies a task.
 */
export type TaskId = string;
/**
 * Partial text from a working agent. Ephemeral: it does not advance a cursor.
 */
export type AgentStreamMessage = Envelope & {
  type: "agent_stream";
  payload: StreamDelta;
};
/**
 * Groups the deltas of one stream.
 */
export type StreamId = string;
/**
 * Identifies a project.
 */
export type ProjectId = string;
/**
 * A chat message. From a client the payload is `say`; from the server it is `chat`.
 */
export type ChatMessage = Envelope & {
  type: "chat";
  payload: Chat | Say;
};
/**
 * bd_main is the thread of agent_bd; agent:<agent_id> is the thread of that agent.
 */
export type ThreadId = string;
/**
 * Identifies one version of a deliverable.
 */
export type ArtifactId = string;
/**
 * Identifies a question to a person.
 */
export type DecisionId = string;
/**
 * A command from a person. The $def with a command's name defines its data; the reply is exactly one ack or error.
 */
export type CommandMessage = Envelope & {
  type: "command";
  payload:
    | {
        name: "submit_request";
        data: SubmitRequest;
      }
    | {
        name: "assign_task";
        data: AssignTask;
      }
    | {
        name: "auto_assign";
        data: AutoAssign;
      }
    | {
        name: "resolve_decision";
        data: ResolveDecision;
      }
    | {
        name: "approve_artifact";
        data: ApproveArtifact;
      }
    | {
        name: "request_changes";
        data: RequestChanges;
      }
    | {
        name: "split_into_tasks";
        data: SplitIntoTasks;
      }
    | {
        name: "player_pos";
        data: PlayerPos;
      }
    | {
        name: "move_player_to";
        data: MovePlayerTo;
      }
    | {
        name: "start_kickoff";
        data: StartKickoff;
      }
    | {
        name: "reassign_task";
        data: ReassignTask;
      }
    | {
        name: "cancel_task";
        data: CancelTask;
      }
    | {
        name: "pause_project";
        data: PauseProject;
      }
    | {
        name: "resume_project";
        data: ResumeProject;
      }
    | {
        name: "rerun_task";
        data: RerunTask;
      }
    | {
        name: "chat";
        data: Say;
      }
    | {
        name: "new_session";
        data: AgentControl;
      }
    | {
        name: "switch_agent";
        data: AgentControl;
      }
    | {
        name: "stop_agent";
        data: AgentControl;
      }
    | {
        name: "kill_agent";
        data: AgentControl;
      }
    | {
        name: "handover";
        data: AgentControl;
      }
    | {
        name: "revoke_rule";
        data: RevokeRule;
      }
    | {
        name: "add_repo";
        data: AddRepo;
      }
    | {
        name: "remove_repo";
        data: RemoveRepo;
      }
    | {
        name: "land_task";
        data: LandTask;
      }
    | {
        name: "ask_review";
        data: AskReview;
      };
};
/**
 * Identifies a repository of the office.
 */
export type RepoName = string;
export type TaskStatus = "planned" | "in_progress" | "blocked" | "review" | "done" | "cancelled";
export type DecisionStatus = "open" | "resolved" | "cancelled";
export type ArtifactStatus =
  "created" | "delivered" | "in_review" | "approved" | "changes_requested" | "superseded" | "archived";
/**
 * Move the sender's avatar to a point or to a place: exactly one of the two.
 */
export type MovePlayerTo = {
  [k: string]: unknown;
} & {
  pos?: Vec3;
  poi_id?: PoiId;
};
/**
 * Identifies a rule of the permission policy.
 */
export type RuleId = string;
/**
 * How work is landed in a branch.
 */
export type LandHow = "merge" | "squash" | "rebase" | "pull_request";
export type CommandName =
  | "submit_request"
  | "assign_task"
  | "auto_assign"
  | "resolve_decision"
  | "approve_artifact"
  | "request_changes"
  | "split_into_tasks"
  | "player_pos"
  | "move_player_to"
  | "start_kickoff"
  | "reassign_task"
  | "cancel_task"
  | "pause_project"
  | "resume_project"
  | "rerun_task"
  | "chat"
  | "new_session"
  | "switch_agent"
  | "stop_agent"
  | "kill_agent"
  | "handover"
  | "revoke_rule"
  | "add_repo"
  | "remove_repo"
  | "land_task"
  | "ask_review";
export type ProjectStatus = "planning" | "executing" | "blocked" | "paused" | "completed" | "archived";
/**
 * question: the answer is passed to the worker; retry: whether to retry or cancel a task whose run failed; ask: a workflow is waiting for the answer; permission: whether a tool may run, which requires the operator credential or a policy rule; unchecked: a session that ended unchecked, listed until a person dismisses it; nothing waits for the answer.
 */
export type DecisionKind = "question" | "retry" | "ask" | "permission" | "unchecked";
/**
 * Identifies a room of the campus; the number after the prefix is part of the ids of its places.
 */
export type RoomId = string;
export type Activity = "working" | "waiting" | "idle" | "offline";
export type EvidenceSource =
  "hook" | "transcript" | "gateway" | "stream" | "process" | "silence" | "event" | "program" | "office";
/**
 * checked: a check passed after the last edit. stale: an edit was made after the last check, or while it ran. failed: the last check failed. unchecked: no check ran. unknown: the outcome of the last check, or the effect of a later command, is unknown.
 */
export type EditsState = "checked" | "stale" | "failed" | "unchecked" | "unknown";
/**
 * edit: the call changed a file. check: the call ran a command that looks like a check. command: the call ran a command that may have changed files. done: the agent ended its turn itself.
 */
export type ImpactKind = "edit" | "check" | "command" | "done";
export type CheckOutcome = "passed" | "failed" | "unknown";
/**
 * Identifies a git object: a commit or a tree.
 */
export type ObjectId = string;
/**
 * The kind of a check that is not a command. Absent for a command.
 */
export type CheckKind = "file" | "url" | "agent" | "person";
/**
 * What the checks prove about a task's files. proven: all required checks passed on these files; partly: some of them passed and none failed; only_said: none of them ran on these files; failed: at least one of them failed on these files.
 */
export type Verdict = "proven" | "partly" | "only_said" | "failed";
/**
 * The weight of a finding.
 */
export type Severity = "problem" | "question" | "nit";
/**
 * Identifies a trophy.
 */
export type DecorId = string;
/**
 * The append-only timeline.
 */
export type EventMessage = Envelope & {
  type: "event";
  payload: TimelineEvent;
};
/**
 * The names that this version sends. A client ignores unknown names.
 */
export type EventName =
  | "office_created"
  | "request_submitted"
  | "request_accepted"
  | "kickoff_started"
  | "kickoff_finished"
  | "tasks_created"
  | "task_assigned"
  | "task_started"
  | "task_progress"
  | "task_blocked"
  | "decision_requested"
  | "decision_resolved"
  | "artifact_created"
  | "artifact_delivered"
  | "review_requested"
  | "review_approved"
  | "review_changes_requested"
  | "task_done"
  | "resync_fallback_snapshot"
  | "agent_joined"
  | "task_cancelled"
  | "decision_cancelled"
  | "project_paused"
  | "project_resumed"
  | "project_completed"
  | "project_archived"
  | "agent_status"
  | "agent_left"
  | "usage_reported"
  | "agent_reset"
  | "agent_switched"
  | "audited"
  | "record_redacted"
  | "room_opened"
  | "room_changed"
  | "room_closed"
  | "rule_added"
  | "rule_revoked"
  | "repo_added"
  | "repo_removed"
  | "task_prepared"
  | "check_finished"
  | "task_tree_changed"
  | "landing_requested"
  | "landing_checked"
  | "landing_opened"
  | "task_landed"
  | "landing_failed"
  | "collision_seen"
  | "review_assigned"
  | "review_commented"
  | "review_failed";
/**
 * Identifies a scene. It is not a path; an unknown scene is NOT_FOUND.
 */
export type SceneId = string;
/**
 * Identifies one attempt at a task.
 */
export type RunId = string;
/**
 * The first message from a client.
 */
export type HelloMessage = Envelope & {
  type: "hello";
  payload: Hello;
};
/**
 * One fact about an agent's activity, on the hud channel.
 */
export type HudMessage = Envelope & {
  type: "hud";
  payload: Hud;
};
export type HudEvent = "turn_start" | "turn_end" | "think_start" | "think_end" | "tool_start" | "tool_end" | "received";
/**
 * The id that a reply answers; msg_unknown if it could not be read.
 */
export type ReplyId = string;
/**
 * Identifies a connection.
 */
export type SessionId = string;
/**
 * Answers from the server.
 */
export type ReplyMessage = AckMessage | ErrorMessage | HelloAckMessage;
/**
 * The answer to a successful command.
 */
export type AckMessage = Envelope & {
  type: "ack";
  payload: Ack;
};
/**
 * The answer to a refused message.
 */
export type ErrorMessage = Envelope & {
  type: "error";
  payload: ErrorPayload;
};
export type ErrorCode =
  | "NOT_ALLOWED"
  | "RATE_LIMITED"
  | "VALIDATION_FAILED"
  | "NOT_FOUND"
  | "CONFLICT"
  | "INTERNAL"
  | "PROTOCOL_VERSION_UNSUPPORTED";
/**
 * The answer to hello.
 */
export type HelloAckMessage = Envelope & {
  type: "hello_ack";
  payload: HelloAck;
};
export type ResumeReason = "CURSOR_OK" | "CURSOR_STALE" | "CURSOR_UNKNOWN" | "REPLAY_UNAVAILABLE" | "SERVER_RESTARTED";
export type AccessRole = "viewer" | "operator" | "agent" | "outpost";
export type Color = string;
/**
 * Another node has become the office's writer. Ephemeral: it does not advance a cursor.
 */
export type SegmentMessage = Envelope & {
  type: "segment";
  payload: SegmentNotice;
};
/**
 * The authoritative state as of payload.seq.
 */
export type SnapshotMessage = Envelope & {
  type: "snapshot";
  payload: Snapshot;
};
/**
 * Selects what a client receives. It may be sent again.
 */
export type SubscribeMessage = Envelope & {
  type: "subscribe";
  payload: Subscribe;
};
/**
 * A UI event from an agent, on the ui channel.
 */
export type UiMessage = Envelope & {
  type: "ui";
  payload: Ui;
};

/**
 * Every type in the contract, by name.
 */
export interface Contracts {
  AgentGoalMessage: AgentGoalMessage;
  GoalKind: GoalKind;
  Goal: Goal;
  AgentGoal: AgentGoal;
  AgentStreamMessage: AgentStreamMessage;
  StreamDelta: StreamDelta;
  ChatMessage: ChatMessage;
  Say: Say;
  Chat: Chat;
  SuggestedAction: SuggestedAction;
  CommandMessage: CommandMessage;
  CommandPayload: CommandPayload;
  CommandName: CommandName;
  AgentControl: AgentControl;
  SubmitRequest: SubmitRequest;
  AssignTask: AssignTask;
  AutoAssign: AutoAssign;
  ResolveDecision: ResolveDecision;
  ApproveArtifact: ApproveArtifact;
  RequestChanges: RequestChanges;
  SplitIntoTasks: SplitIntoTasks;
  PlayerPos: PlayerPos;
  MovePlayerTo: MovePlayerTo;
  StartKickoff: StartKickoff;
  ReassignTask: ReassignTask;
  CancelTask: CancelTask;
  PauseProject: PauseProject;
  ResumeProject: ResumeProject;
  RerunTask: RerunTask;
  RevokeRule: RevokeRule;
  AddRepo: AddRepo;
  RemoveRepo: RemoveRepo;
  LandTask: LandTask;
  AskReview: AskReview;
  AgentState: AgentState;
  TaskStatus: TaskStatus;
  ProjectStatus: ProjectStatus;
  DecisionStatus: DecisionStatus;
  DecisionKind: DecisionKind;
  ArtifactStatus: ArtifactStatus;
  AgentProfile: AgentProfile;
  Source: Source;
  Agent: Agent;
  Checked: Checked;
  EditsState: EditsState;
  CheckOutcome: CheckOutcome;
  ImpactKind: ImpactKind;
  Impact: Impact;
  EndedSession: EndedSession;
  OpenTurn: OpenTurn;
  OpenCall: OpenCall;
  Project: Project;
  Task: Task;
  Verdict: Verdict;
  Repo: Repo;
  CheckKind: CheckKind;
  Check: Check;
  CheckResult: CheckResult;
  Worktree: Worktree;
  DiffStat: DiffStat;
  LandHow: LandHow;
  Landing: Landing;
  PullRequest: PullRequest;
  Collision: Collision;
  Decision: Decision;
  Permission: Permission;
  Rule: Rule;
  AddedRule: AddedRule;
  Activity: Activity;
  EvidenceSource: EvidenceSource;
  Evidence: Evidence;
  AgentStatus: AgentStatus;
  Usage: Usage;
  UsageTotal: UsageTotal;
  OfficeUsage: OfficeUsage;
  Artifact: Artifact;
  Review: Review;
  Finding: Finding;
  Severity: Severity;
  Decor: Decor;
  Room: Room;
  Player: Player;
  EventMessage: EventMessage;
  EventName: EventName;
  TimelineEvent: TimelineEvent;
  Redaction: Redaction;
  Meta: Meta;
  HelloMessage: HelloMessage;
  Hello: Hello;
  ClientInfo: ClientInfo;
  Resume: Resume;
  HudMessage: HudMessage;
  HudEvent: HudEvent;
  Hud: Hud;
  MessageId: MessageId;
  ReplyId: ReplyId;
  AgentId: AgentId;
  ProjectId: ProjectId;
  TaskId: TaskId;
  ArtifactId: ArtifactId;
  DecisionId: DecisionId;
  PoiId: PoiId;
  RunId: RunId;
  SessionId: SessionId;
  PlayerId: PlayerId;
  RuleId: RuleId;
  RepoName: RepoName;
  ObjectId: ObjectId;
  RoomId: RoomId;
  SceneId: SceneId;
  DecorId: DecorId;
  AnchorId: AnchorId;
  StreamId: StreamId;
  ThreadId: ThreadId;
  Vec3: Vec3;
  Seq: Seq;
  Millis: Millis;
  Envelope: Envelope;
  MessageType: MessageType;
  ReplyMessage: ReplyMessage;
  ErrorCode: ErrorCode;
  ResumeReason: ResumeReason;
  AccessRole: AccessRole;
  Ack: Ack;
  Result: Result;
  Assignment: Assignment;
  ErrorPayload: ErrorPayload;
  HelloAck: HelloAck;
  ResumeReply: ResumeReply;
  ServerInfo: ServerInfo;
  Heartbeat: Heartbeat;
  AckMessage: AckMessage;
  ErrorMessage: ErrorMessage;
  HelloAckMessage: HelloAckMessage;
  SceneManifest: SceneManifest;
  Color: Color;
  Palette: Palette;
  SceneRoom: SceneRoom;
  SceneWindow: SceneWindow;
  SceneGrid: SceneGrid;
  Footprint: Footprint;
  SceneObject: SceneObject;
  Poi: Poi;
  NavAnchor: NavAnchor;
  SceneCamera: SceneCamera;
  SceneSpawns: SceneSpawns;
  DecorAnchor: DecorAnchor;
  SceneLighting: SceneLighting;
  LightSet: LightSet;
  HemisphereLight: HemisphereLight;
  DirectLight: DirectLight;
  PointLight: PointLight;
  SceneAmbience: SceneAmbience;
  Backdrop: Backdrop;
  SegmentMessage: SegmentMessage;
  SegmentNotice: SegmentNotice;
  SnapshotMessage: SnapshotMessage;
  Snapshot: Snapshot;
  SubscribeMessage: SubscribeMessage;
  Subscribe: Subscribe;
  Channels: Channels;
  SnapshotOptions: SnapshotOptions;
  UiMessage: UiMessage;
  Ui: Ui;
}
/**
 * The envelope of every message on /ws/world. Unknown members are ignored.
 */
export interface Envelope {
  type: MessageType;
  id: MessageId;
  /**
   * Unix time in milliseconds. In messages from clients, a value below 1e11 means seconds.
   */
  ts: number;
  /**
   * The protocol's major version.
   */
  v: 1;
  payload: {};
}
/**
 * A change of intent. The agent's position depends only on path, speed_mps and started_at.
 */
export interface AgentGoal {
  seq?: Seq;
  agent_id: AgentId;
  goal: Goal;
  path: Vec3[];
  speed_mps: number;
  arrival_radius?: number;
  started_at?: Millis;
  facing?: Vec3;
  state?: AgentState;
  why?: string;
  task_id?: TaskId;
}
/**
 * An agent's next action; poi_id with anchor_id is a reserved seat.
 */
export interface Goal {
  kind: GoalKind;
  poi_id?: PoiId;
  anchor_id?: AnchorId;
  player_id?: PlayerId;
  perch_of?: AgentId;
}
/**
 * seq numbers the deltas of one stream_id; it is not a position in the ledger.
 */
export interface StreamDelta {
  stream_id: StreamId;
  agent_id: AgentId;
  project_id?: ProjectId;
  task_id?: TaskId;
  /**
   * A rendering hint.
   */
  kind: "token" | "thought" | "code";
  seq: number;
  delta: string;
  done: boolean;
  /**
   * true if delta is the whole text so far, for a viewer that joined late.
   */
  catch_up?: boolean;
  rehearsal?: boolean;
}
/**
 * A message from a person or an agent.
 */
export interface Chat {
  seq?: Seq;
  thread_id: ThreadId;
  /**
   * user or an agent id.
   */
  from: string;
  to: string;
  text: string;
  suggested_actions?: SuggestedAction[];
  project_id?: ProjectId;
  answers_seq?: Seq;
  /**
   * true if the rehearsal crew wrote it.
   */
  rehearsal?: boolean;
}
/**
 * A button under a chat message: a command name, or an action that the client performs itself, such as open_task_board, clarify or open_artifact.
 */
export interface SuggestedAction {
  action: string;
  label: string;
  project_id?: ProjectId;
  artifact_id?: ArtifactId;
  decision_id?: DecisionId;
}
/**
 * A message from a person.
 */
export interface Say {
  thread_id?: ThreadId;
  /**
   * The text.
   */
  text: string;
  /**
   * The recipient; if absent, the thread decides.
   */
  to?: string;
}
/**
 * Ask the office for something.
 */
export interface SubmitRequest {
  /**
   * The request.
   */
  text: string;
  /**
   * Free-form constraints. Constraints and attachments together may have at most 8192 bytes of JSON.
   */
  constraints?: {
    [k: string]: unknown;
  };
  /**
   * Links or small descriptions.
   *
   * @maxItems 16
   */
  attachments?: (
    | string
    | {
        [k: string]: unknown;
      }
  )[];
  /**
   * Assign the tasks once the kickoff has planned them; if absent or false, the plan waits for a person.
   */
  auto_assign?: boolean;
  repo?: RepoName;
  /**
   * Acceptance checks, in addition to those of the repository: cmd: COMMAND, file: PATH, url: URL, agent or person. Requires repo and the operator credential.
   *
   * @maxItems 10
   */
  accept?: string[];
}
/**
 * Assign a planned task to a free agent.
 */
export interface AssignTask {
  task_id: TaskId;
  agent_id: AgentId;
  expected_task_status?: TaskStatus;
}
/**
 * Let the office assign the project's planned tasks by role.
 */
export interface AutoAssign {
  project_id: ProjectId;
}
/**
 * Answer an open decision.
 */
export interface ResolveDecision {
  decision_id: DecisionId;
  /**
   * One of the options, or free text if the decision allows it.
   */
  choice: string;
  /**
   * All chosen options, if the decision allows several; choice is one of them.
   *
   * @minItems 1
   * @maxItems 7
   */
  choices?: [string, ...string[]];
  /**
   * A note for the agent that asked.
   */
  note?: string;
  expected_decision_status?: DecisionStatus;
}
/**
 * Accept a delivered artifact.
 */
export interface ApproveArtifact {
  artifact_id: ArtifactId;
  expected_artifact_status?: ArtifactStatus;
}
/**
 * Send a delivered artifact back and ask for a new version.
 */
export interface RequestChanges {
  artifact_id: ArtifactId;
  /**
   * What to change.
   */
  instructions: string;
  /**
   * Add the findings of the agents that reviewed the artifact to the instructions.
   */
  with_findings?: boolean;
  expected_artifact_status?: ArtifactStatus;
}
/**
 * Accept a delivered artifact and create follow-up tasks from it.
 */
export interface SplitIntoTasks {
  artifact_id: ArtifactId;
  /**
   * @minItems 1
   * @maxItems 16
   *
   * Items: A title, one line.
   */
  task_titles: [string, ...string[]];
  expected_artifact_status?: ArtifactStatus;
}
/**
 * Report the position of the sender's avatar. Never recorded.
 */
export interface PlayerPos {
  pos: Vec3;
  facing?: Vec3;
}
/**
 * Start the kickoff that a project is waiting for.
 */
export interface StartKickoff {
  project_id: ProjectId;
}
/**
 * Move an open task to another free agent.
 */
export interface ReassignTask {
  task_id: TaskId;
  to_agent_id: AgentId;
  expected_task_status?: TaskStatus;
}
/**
 * Cancel an open task permanently.
 */
export interface CancelTask {
  task_id: TaskId;
  /**
   * Must be true: there is no undo.
   */
  confirm: true;
  /**
   * Shown in the feed.
   */
  reason?: string;
  expected_task_status?: TaskStatus;
}
/**
 * Pause a project's work.
 */
export interface PauseProject {
  project_id: ProjectId;
}
/**
 * Continue a paused project.
 */
export interface ResumeProject {
  project_id: ProjectId;
}
/**
 * Create a new copy of a task that is done or cancelled.
 */
export interface RerunTask {
  source_task_id: TaskId;
  /**
   * Shown in the feed.
   */
  reason?: string;
}
/**
 * The data of commands that control a running agent.
 */
export interface AgentControl {
  agent_id: AgentId;
  /**
   * The agent's session; absent means its current one.
   */
  session?: string;
  to_agent_id?: AgentId;
}
/**
 * Remove a rule that "Always allow" added to the permission policy.
 */
export interface RevokeRule {
  rule_id: RuleId;
}
/**
 * Add a git repository for the office to work in, or change the target branch or the accepted remote of a repository.
 */
export interface AddRepo {
  /**
   * A directory in the repository's working tree, on the server.
   */
  path: string;
  name?: RepoName;
  /**
   * The target branch of landings; absent means the branch that is checked out.
   */
  target?: string;
  /**
   * Set by the server.
   */
  node?: string;
  /**
   * Accept this address for pull requests. It must be the current address of the repository's remote.
   */
  remote?: string;
  /**
   * Set by the server: the current address of the repository's remote.
   */
  found?: string;
}
/**
 * Remove a repository from the office. The repository itself is not changed.
 */
export interface RemoveRepo {
  repo: RepoName;
}
/**
 * Land a task's approved work in the target branch.
 */
export interface LandTask {
  task_id: TaskId;
  how: LandHow;
  /**
   * Only check whether the landing would succeed.
   */
  dry_run?: boolean;
  /**
   * Land even if the checks do not prove these files.
   */
  accept_unproven?: boolean;
}
/**
 * Ask an agent to review a patch that it did not work on.
 */
export interface AskReview {
  artifact_id: ArtifactId;
  agent_id?: AgentId;
}
/**
 * The common shape of all commands.
 */
export interface CommandPayload {
  name: string;
  data: {};
}
/**
 * The profile of an agent.
 */
export interface AgentProfile {
  agent_id: AgentId;
  name?: string;
  /**
   * bd, researcher, writer, designer, engineer, strategist, reviewer, or another.
   */
  role?: string;
  /**
   * The runner's name. The snapshot's sources may describe it.
   */
  runner?: string;
  home_poi_id?: PoiId;
  /**
   * Where a guest comes from. The snapshot's sources describe it.
   */
  source?: string;
  parent_id?: AgentId;
  session?: string;
  /**
   * Where the agent works.
   */
  place?: string;
  /**
   * The repository, or the folder, that a guest's work belongs to. Guests with the same value share a studio.
   */
  repo?: string;
  model?: string;
  /**
   * The outpost that reported a guest. Absent if the office watches the guest directly.
   */
  outpost?: string;
  /**
   * The node that watches a guest, in an office of several nodes.
   */
  node?: string;
  room_id?: RoomId;
  seat_id?: AnchorId;
  /**
   * Commands that the agent obeys: stop_agent, kill_agent, new_session, switch_agent, handover, chat.
   */
  controls?: string[];
}
/**
 * Where agents come from: a vendor, or an endpoint of the office. Clients show the label and need not know a source by name.
 */
export interface Source {
  /**
   * Matches the source of a guest or the runner of a crew member.
   */
  source: string;
  /**
   * The display name.
   */
  label: string;
  /**
   * The colour of its agents' lanyards.
   */
  color: string;
  /**
   * Its agents follow a script and use no model.
   */
  scripted?: boolean;
  /**
   * Commands that the source's guests obey, unless a guest's own row lists others; absent if the guests are only watched.
   */
  controls?: string[];
}
/**
 * An agent in a snapshot.
 */
export interface Agent {
  agent_id: AgentId;
  name?: string;
  /**
   * bd, researcher, writer, designer, engineer, strategist, reviewer, or another.
   */
  role?: string;
  /**
   * The runner's name. The snapshot's sources may describe it.
   */
  runner?: string;
  home_poi_id?: PoiId;
  /**
   * Where a guest comes from. The snapshot's sources describe it.
   */
  source?: string;
  parent_id?: AgentId;
  session?: string;
  /**
   * Where the agent works.
   */
  place?: string;
  /**
   * The repository, or the folder, that a guest's work belongs to. Guests with the same value share a studio.
   */
  repo?: string;
  model?: string;
  /**
   * The outpost that reported a guest. Absent if the office watches the guest directly.
   */
  outpost?: string;
  /**
   * The node that watches a guest, in an office of several nodes.
   */
  node?: string;
  room_id?: RoomId;
  seat_id?: AnchorId;
  /**
   * Commands that the agent obeys: stop_agent, kill_agent, new_session, switch_agent, handover, chat.
   */
  controls?: string[];
  state: AgentState;
  pos: Vec3;
  facing?: Vec3;
  goal?: Goal;
  task_id?: TaskId;
  status_line?: string;
  needs_you?: boolean;
  /**
   * The reason for the last change.
   */
  why?: string;
  activity?: Activity;
  authority?: EvidenceSource;
  since?: Millis;
  /**
   * The start of the agent's last answer.
   */
  said?: string;
  usage?: UsageTotal;
  /**
   * Tokens that the model read for the agent's last message; absent if unknown.
   */
  context?: number;
  checked?: Checked;
  /**
   * Turns in progress, oldest first; only the newest if there are many.
   */
  turns?: OpenTurn[];
}
/**
 * cost_usd is the sum of the reports with a price; if unpriced is not zero, the true cost may be higher.
 */
export interface UsageTotal {
  tokens_in: number;
  tokens_out: number;
  cache_read?: number;
  cache_write?: number;
  cost_usd: number;
  priced: number;
  unpriced: number;
  /**
   * Estimated reports.
   */
  estimated?: number;
  /**
   * Reports with a list price.
   */
  listed?: number;
}
/**
 * Whether an agent's edits were checked, according to its recorded tool calls. It reports observations and proves nothing.
 */
export interface Checked {
  state: EditsState;
  done_at?: Millis;
  edit: Impact;
  check?: Impact;
  command?: Impact;
}
/**
 * The effect of a finished tool call or turn on the state of an agent's work.
 */
export interface Impact {
  kind: ImpactKind;
  at: Millis;
  since?: Millis;
  /**
   * The file or the command, shortened. Absent if unknown.
   */
  what?: string;
  /**
   * An edit that changed only prose, such as Markdown, which checks rarely cover.
   */
  prose?: boolean;
  outcome?: CheckOutcome;
  /**
   * The exit code of a check. Absent if it is unknown or may belong to another command on the same line.
   */
  exit_code?: number;
  agent_id?: AgentId;
}
/**
 * A turn in progress.
 */
export interface OpenTurn {
  /**
   * The correlationId of the turn_start event.
   */
  turn_id: string;
  /**
   * The conversation.
   */
  session?: string;
  /**
   * The origin of the turn: a work key such as task:…, plan:… or chat:…, or caller, or outside.
   */
  origin?: string;
  task_id?: TaskId;
  label?: string;
  since: Millis;
  /**
   * Tool calls in progress, oldest first; only the newest if there are many.
   */
  calls?: OpenCall[];
  /**
   * Its open questions.
   */
  decision_ids?: DecisionId[];
}
/**
 * A tool call, or a period of thinking, in progress.
 */
export interface OpenCall {
  /**
   * The correlationId of the event that started the call.
   */
  call_id: string;
  /**
   * Absent for thinking.
   */
  tool?: string;
  label?: string;
  since: Millis;
}
/**
 * A guest's session that ended without a passing check of its last code edit.
 */
export interface EndedSession {
  agent: AgentProfile;
  checked: Checked;
}
/**
 * A request and its outcome.
 */
export interface Project {
  project_id: ProjectId;
  title: string;
  status: ProjectStatus;
  request?: string;
  constraints?: {
    [k: string]: unknown;
  };
  attachments?: unknown[];
  /**
   * The office assigns the project's tasks as agents become free.
   */
  auto_assign?: boolean;
  repo?: RepoName;
  /**
   * Acceptance checks of the project's tasks. Left out of snapshots.
   */
  accept?: string[];
  created_at?: Millis;
  updated_at?: Millis;
  archived_at?: Millis;
}
/**
 * One piece of work in a project.
 */
export interface Task {
  task_id: TaskId;
  project_id: ProjectId;
  title: string;
  description?: string;
  /**
   * research, plan, copy, design, code, review, or another.
   */
  kind?: string;
  status: TaskStatus;
  assignee?: AgentId;
  priority?: number;
  blocked_reason?: string;
  attempt?: number;
  percent?: number;
  rerun_of?: TaskId;
  split_from?: ArtifactId;
  created_at?: Millis;
  updated_at?: Millis;
  usage?: UsageTotal;
  worktree?: Worktree;
  tree?: ObjectId;
  landing?: Landing;
  verdict?: Verdict;
  /**
   * Derived: for each check, the newest result for tree or, if there is none, the newest result for any tree. A result for another tree is stale.
   */
  checks?: CheckResult[];
  /**
   * Derived: paths that other tasks have changed too.
   */
  collisions?: Collision[];
}
/**
 * A task's own working tree. Its checks come from the base commit and from the request.
 */
export interface Worktree {
  repo: RepoName;
  dir: string;
  branch: string;
  base: ObjectId;
  /**
   * The target branch of landings.
   */
  target?: string;
  checks?: Check[];
}
/**
 * A condition that the files of a task must meet: a command succeeds or, if the request adds such a check, a file exists, a URL responds, another agent finds no problem, or a person approves.
 */
export interface Check {
  name: string;
  kind?: CheckKind;
  /**
   * A shell line; for other kinds, the acceptance line of the request. Shortened in snapshots.
   */
  command: string;
  optional?: boolean;
  timeout_ms?: number;
}
/**
 * The newest request to land a task's work, and its outcome.
 */
export interface Landing {
  /**
   * Counts the task's landings.
   */
  number: number;
  how: LandHow;
  dry_run?: boolean;
  /**
   * A person accepted that the files are not proven.
   */
  unproven?: boolean;
  tree: ObjectId;
  /**
   * checked: a dry run found no obstacle; open: the pull request is open.
   */
  status: "requested" | "checked" | "open" | "landed" | "failed";
  by?: string;
  target?: string;
  commit?: ObjectId;
  /**
   * Why the landing failed, or which checks of the open pull request failed.
   */
  reason?: string;
  /**
   * Paths that could not be merged.
   */
  conflicts?: string[];
  pull_request?: PullRequest;
}
/**
 * A request on a git host to merge a task's branch.
 */
export interface PullRequest {
  /**
   * The remote that the branch is pushed to.
   */
  remote: string;
  /**
   * Absent if a dry run found no pull request to update.
   */
  url?: string;
  head?: ObjectId;
}
/**
 * One run of a check, or the review or approval that a check requires.
 */
export interface CheckResult {
  name: string;
  kind?: CheckKind;
  /**
   * Shortened in snapshots.
   */
  command: string;
  optional?: boolean;
  /**
   * How the check ended.
   */
  end: "exited" | "timeout" | "stopped" | "output" | "not_run";
  /**
   * -1 if the check did not exit by itself; 1 if a check that is not a command failed.
   */
  exit_code: number;
  tree: ObjectId;
  tree_after?: ObjectId;
  started: Millis;
  duration_ms: number;
  output_sha256?: string;
  output_bytes?: number;
  /**
   * Hash of the stored end of the output, with credentials redacted; absent if none is stored.
   */
  log_sha256?: string;
  /**
   * Why the check did not run: the reason that nothing could be proven about the files.
   */
  reason?: string;
  /**
   * Who requested the check, or who reviewed or approved; absent if the office requested it. pull_request: the git host ran the check for the task's pull request, and command is the pull request's address.
   */
  by?: string;
}
/**
 * Paths that several unfinished tasks have changed.
 */
export interface Collision {
  task_ids: TaskId[];
  /**
   * Empty if the tasks no longer collide.
   */
  paths: string[];
}
/**
 * A git repository that the office works in.
 */
export interface Repo {
  name: RepoName;
  /**
   * The top directory of the repository's main working tree.
   */
  path: string;
  /**
   * The target branch of landings; absent means the branch that is checked out.
   */
  target?: string;
  /**
   * The node that has the repository, in an office of several nodes.
   */
  node?: string;
  /**
   * The only address that pull requests are pushed to, without credentials; absent if none was recorded.
   */
  remote?: string;
}
/**
 * The size of a patch.
 */
export interface DiffStat {
  files: number;
  /**
   * Lines.
   */
  added: number;
  /**
   * Lines.
   */
  deleted: number;
}
/**
 * A question that a person answers; a policy rule may answer a permission request.
 */
export interface Decision {
  decision_id: DecisionId;
  project_id?: ProjectId;
  task_id?: TaskId;
  status: DecisionStatus;
  kind?: DecisionKind;
  prompt: string;
  options: string[];
  /**
   * What each option means, in the order of the options.
   */
  descriptions?: string[];
  /**
   * Any number of options may be chosen.
   */
  multiple?: boolean;
  /**
   * The topic, in a word or two.
   */
  header?: string;
  allow_free_text?: boolean;
  choice?: string;
  /**
   * All chosen options, if multiple is set.
   */
  choices?: string[];
  note?: string;
  asked_by?: AgentId;
  asked_at?: Millis;
  expires_at?: Millis;
  /**
   * Why the question was cancelled.
   */
  reason?: string;
  rule_id?: RuleId;
  always_adds?: Rule;
  /**
   * Why "Always allow" adds no rule.
   */
  no_rule?: string;
  /**
   * The asking program has no "Always allow" of its own. If a person chooses "Always allow", choice is "Allow once".
   */
  office_only?: boolean;
  permission?: Permission;
  session?: EndedSession;
  /**
   * The turn that asked; the question is withdrawn when the turn ends.
   */
  turn_id?: string;
  /**
   * The owner that is waiting for the answer. Without an owner, the question stays open until it is answered or expires.
   */
  owner?: string;
}
/**
 * A rule of the permission policy. A call must match every selector; a selector matches if one of its patterns does.
 */
export interface Rule {
  rule_id: RuleId;
  effect: "allow" | "ask" | "deny";
  reason?: string;
  /**
   * Names of tools.
   */
  tool?: string[];
  /**
   * Commands of a shell line.
   */
  command?: string[];
  /**
   * Absolute paths.
   */
  path?: string[];
  /**
   * Hosts of URLs.
   */
  host?: string[];
  /**
   * Ids of agents.
   */
  agent?: string[];
  /**
   * Repositories of agents.
   */
  repo?: string[];
}
/**
 * The tool call that a decision is about. Answering such a decision requires the operator credential, unless a policy rule answers it.
 */
export interface Permission {
  tool: string;
  /**
   * Redacted arguments, any JSON.
   */
  args?: {
    [k: string]: unknown;
  };
  label?: string;
  call_id?: string;
  /**
   * Where the call would run.
   */
  place?: string;
  /**
   * What "Always allow" would allow from now on.
   */
  grants?: string;
}
/**
 * A rule that a person added by answering a permission request with "Always allow".
 */
export interface AddedRule {
  rule: Rule;
  decision_id: DecisionId;
  /**
   * The principal that answered the permission request.
   */
  by: string;
  at: Millis;
}
/**
 * One observation of an agent; it expires at `until`.
 */
export interface Evidence {
  source: EvidenceSource;
  says: string;
  at: Millis;
  until?: Millis;
}
/**
 * What an agent is doing according to one authority, with the evidence for it.
 */
export interface AgentStatus {
  agent_id: AgentId;
  activity: Activity;
  /**
   * What the agent is doing.
   */
  line?: string;
  why: string;
  authority: EvidenceSource;
  since?: Millis;
  /**
   * The start of the agent's last answer.
   */
  said?: string;
  evidence?: Evidence[];
}
/**
 * Reported usage. cost_usd is absent if the source reported no price; estimated is true if the numbers were estimated from the length of text.
 */
export interface Usage {
  model?: string;
  tokens_in?: number;
  tokens_out?: number;
  cache_read?: number;
  cache_write?: number;
  cost_usd?: number;
  estimated?: boolean;
  /**
   * true if cost_usd was computed from list prices, because the source reported no price.
   */
  listed?: boolean;
  at?: Millis;
}
/**
 * Usage of the whole office; the day is in UTC.
 */
export interface OfficeUsage {
  day: string;
  today: UsageTotal;
  lifetime: UsageTotal;
}
/**
 * One version of a deliverable; its content is at /v1/artifacts/{id}/content.
 */
export interface Artifact {
  artifact_id: ArtifactId;
  project_id: ProjectId;
  task_id?: TaskId;
  type: string;
  title?: string;
  status: ArtifactStatus;
  version: number;
  parent?: ArtifactId;
  mime?: string;
  bytes?: number;
  sha256?: string;
  poi_id?: PoiId;
  created_by?: AgentId;
  rehearsal?: boolean;
  tree?: ObjectId;
  base?: ObjectId;
  stat?: DiffStat;
  /**
   * Reviews of a patch by other agents.
   */
  reviews?: Review[];
}
/**
 * An agent's review of a patch that it did not write.
 */
export interface Review {
  agent_id?: AgentId;
  /**
   * A failed review contains no assessment of the patch.
   */
  status: "requested" | "commented" | "failed";
  /**
   * How the reviewer differs from the author; absent if both have the same vendor and model.
   */
  differs?: "vendor" | "model";
  summary?: string;
  findings?: Finding[];
  /**
   * Why the review failed.
   */
  reason?: string;
  rehearsal?: boolean;
}
/**
 * A reviewer's remark about a line of a patch.
 */
export interface Finding {
  path: string;
  /**
   * The line number in the new version of the file.
   */
  line: number;
  /**
   * true if the line was removed; line is then its number in the old version.
   */
  removed?: boolean;
  severity: Severity;
  text: string;
}
/**
 * A trophy at one of the scene's decor anchors.
 */
export interface Decor {
  decor_id: DecorId;
  anchor_id: AnchorId;
  unlocked_by_project_id: ProjectId;
  outcome?: string;
}
/**
 * A module of the campus that the office opened for a folder or repository. Its objects and places are those of the module's manifest, with _r and the room's number after every id. A room never moves.
 */
export interface Room {
  room_id: RoomId;
  /**
   * The folder or repository that the room is for. Rooms with the same key are annexes.
   */
  key: string;
  /**
   * The text of the sign.
   */
  label: string;
  /**
   * The kind of module. studio has the manifest studio_v0.
   */
  module: string;
  /**
   * Column and row on the campus, counted from the house at 0, 0.
   *
   * @minItems 2
   * @maxItems 2
   */
  plot: [number, number];
  /**
   * The colour of the room: terracotta, blue, purple, amber, green or teal.
   */
  accent: string;
  /**
   * Desk modules in use. Module n has the places poi_desk_(2n-1) and poi_desk_2n; the objects of later modules are not drawn.
   */
  desks: number;
}
/**
 * A person in the room; never recorded.
 */
export interface Player {
  player_id: PlayerId;
  name?: string;
  pos: Vec3;
  facing?: Vec3;
  since?: Millis;
}
/**
 * A timeline event. It is flat: each event uses the members it needs; new rows are included in full.
 */
export interface TimelineEvent {
  seq?: Seq;
  /**
   * What happened.
   */
  name: EventName | string;
  project_id?: ProjectId;
  task_id?: TaskId;
  agent_id?: AgentId;
  artifact_id?: ArtifactId;
  decision_id?: DecisionId;
  poi_id?: PoiId;
  scene_id?: SceneId;
  /**
   * The office's identity, in office_created.
   */
  office_id?: string;
  /**
   * The agents in the meeting, in kickoff_started and kickoff_finished.
   */
  participants?: AgentId[];
  /**
   * The kind of the task, in task_started; in audited, what was audited: login, export or revocation.
   */
  kind?: string;
  /**
   * Progress of the task.
   */
  percent?: number;
  /**
   * What the agent is doing, in task_progress.
   */
  preview_text?: string;
  /**
   * The number of the attempt at a task; starts at 1.
   */
  attempt?: number;
  run_id?: RunId;
  /**
   * true if auto_assign assigned the task.
   */
  auto?: boolean;
  from_agent_id?: AgentId;
  /**
   * The answer to a question.
   */
  choice?: string;
  /**
   * All chosen options, if the question allows several.
   */
  choices?: string[];
  /**
   * A note that a person sent with the answer or approval.
   */
  note?: string;
  /**
   * What has to change, in review_changes_requested: a person's words, or the output of a pull request's failed checks.
   */
  instructions?: string;
  /**
   * The reason for the event, such as why a task is blocked or was cancelled.
   */
  reason?: string;
  last_seq?: Seq;
  project?: Project;
  /**
   * The new tasks, in tasks_created.
   */
  tasks?: Task[];
  decision?: Decision;
  artifact?: Artifact;
  decor?: Decor;
  /**
   * The profiles of new or changed agents.
   */
  agents?: AgentProfile[];
  status?: AgentStatus;
  usage?: Usage;
  /**
   * The turn that the usage belongs to.
   */
  turn_id?: string;
  /**
   * The principal that answered a question, reviewed a deliverable, or caused the audited event; policy if a policy rule answered.
   */
  by?: string;
  /**
   * How that principal was authenticated: a browser session, a named token, the data directory.
   */
  via?: string;
  redaction?: Redaction;
  room?: Room;
  room_id?: RoomId;
  rule_id?: RuleId;
  rule?: Rule;
  repo?: Repo;
  worktree?: Worktree;
  check?: CheckResult;
  tree?: ObjectId;
  landing?: Landing;
  collision?: Collision;
  review?: Review;
  meta?: Meta;
}
/**
 * An earlier record whose text was erased, in record_redacted: clients that have the record drop it and read it again.
 */
export interface Redaction {
  seq: Seq;
  /**
   * The SHA-256 of the tombstone, the body that replaced the record's own.
   */
  sha256: string;
}
/**
 * Display text of an event, for a feed.
 */
export interface Meta {
  title?: string;
  summary?: string;
}
/**
 * The client, its protocol versions and its cursor.
 */
export interface Hello {
  client: ClientInfo;
  /**
   * Major protocol versions, best first.
   *
   * @maxItems 16
   */
  supported_versions?: number[];
  resume?: Resume;
}
/**
 * A client's description of itself. It grants no rights.
 */
export interface ClientInfo {
  /**
   * Stable across reconnects. It is the scope of the client's command ids; if it is absent, the name is the scope.
   */
  id?: string;
  name: string;
  /**
   * Shown in logs.
   */
  build?: string;
  /**
   * web, terminal …
   */
  platform?: string;
}
/**
 * The client's cursor.
 */
export interface Resume {
  last_seq: Seq;
  /**
   * Contains the ledger's identity.
   */
  last_snapshot_id?: string;
  scene_id?: SceneId;
  /**
   * The ledger's identity.
   */
  epoch?: string;
  /**
   * The segment that the cursor was read in: the segment of the last hello_ack.
   */
  segment?: string;
}
/**
 * A start and its end have the same correlationId.
 */
export interface Hud {
  seq?: Seq;
  event: HudEvent;
  /**
   * Links a start and its end: a turn, a period of thinking or a tool call.
   */
  correlationId?: string;
  /**
   * The correlationId of the turn that contains this activity.
   */
  parentId?: string;
  agent_id?: AgentId;
  /**
   * The agent's session or conversation.
   */
  session?: string;
  impact?: Impact;
  task_id?: TaskId;
  /**
   * The name of the tool, in tool_start and tool_end.
   */
  tool?: string;
  /**
   * Redacted arguments, any JSON.
   */
  args?: {
    [k: string]: unknown;
  };
  /**
   * Redacted result, any JSON; a large result is truncated and has a reference to the whole.
   */
  result?: {
    [k: string]: unknown;
  };
  /**
   * How long the turn or call took, in milliseconds; only on its end.
   */
  durationMs?: number;
  /**
   * What was received, such as message, reconnect or stop.
   */
  subtype?: string;
  /**
   * A short display text.
   */
  label?: string;
  /**
   * The content of a received message.
   */
  payload?: {
    [k: string]: unknown;
  };
  /**
   * true if the message comes from history.
   */
  replay?: boolean;
  /**
   * true for the rehearsal crew, which uses no model.
   */
  rehearsal?: boolean;
  /**
   * The owner that runs or watches the turn or call; on turn_start and on calls outside any turn. Once the owner is gone, the office ends the turn.
   */
  owner?: string;
  /**
   * On turn_start: the key of the work that the turn is for, or caller, or outside.
   */
  origin?: string;
  /**
   * On turn_start: the directory that paths are relative to.
   */
  root?: string;
  at?: Millis;
  /**
   * The SHA-256 of the whole result, if result.ref refers to it.
   */
  result_sha256?: string;
  usage?: Usage;
  /**
   * The agent's answer, on turn_end.
   */
  said?: string;
}
/**
 * A command was executed.
 */
export interface Ack {
  in_reply_to: ReplyId;
  status: "ok";
  seq?: Seq;
  /**
   * true if the command was executed before; this repeats the first answer.
   */
  duplicate?: boolean;
  result?: Result;
}
/**
 * What a command created or changed.
 */
export interface Result {
  project_id?: ProjectId;
  task_ids?: TaskId[];
  assignments?: Assignment[];
  artifact_id?: ArtifactId;
  decision_id?: DecisionId;
  repo?: RepoName;
  rule_id?: RuleId;
  path?: Vec3[];
  speed_mps?: number;
}
/**
 * A task and the agent that it was assigned to.
 */
export interface Assignment {
  task_id: TaskId;
  agent_id: AgentId;
}
/**
 * A message or command was refused and changed nothing.
 */
export interface ErrorPayload {
  in_reply_to: ReplyId;
  duplicate?: boolean;
  code: ErrorCode;
  message: string;
  /**
   * The invalid member as a dotted path, such as payload.data.text.
   */
  field?: string;
  retry_after_ms?: number;
  supported_versions?: number[];
}
/**
 * The answer to hello.
 */
export interface HelloAck {
  session_id: SessionId;
  protocol_version: number;
  /**
   * The same as protocol_version, for older clients.
   */
  protocol_v?: number;
  /**
   * The ledger's identity.
   */
  epoch?: string;
  scene_id?: SceneId;
  /**
   * The segment of the ledger's chain that is being written. Send it, or the segment of a later segment message, with a cursor, so that a cursor from another history is recognized.
   */
  segment?: string;
  resume?: ResumeReply;
  server?: ServerInfo;
  heartbeat?: Heartbeat;
  features?: string[];
  access?: AccessRole;
  /**
   * true if the client may answer permission requests.
   */
  permit?: boolean;
  player_id?: PlayerId;
}
/**
 * The outcome of the resume request.
 */
export interface ResumeReply {
  status: "resumed" | "snapshot_required" | "unsupported";
  reason: ResumeReason;
  replay_from_seq?: Seq;
}
/**
 * The name and version of the server.
 */
export interface ServerInfo {
  name: string;
  version: string;
}
/**
 * How often to ping and when a silent connection is closed.
 */
export interface Heartbeat {
  interval_ms: number;
  timeout_ms: number;
}
/**
 * Describes a room: the server uses it to move people and the client to draw the room. Lengths are in metres; y is up, and the floor is the xz plane.
 */
export interface SceneManifest {
  scene_id: SceneId;
  /**
   * The version of this scene; increase it with every change.
   */
  version: number;
  /**
   * The display name of the room.
   */
  label: string;
  palette: Palette;
  room: SceneRoom;
  grid: SceneGrid;
  /**
   * The furniture.
   */
  objects: SceneObject[];
  /**
   * The places that people go to.
   */
  pois: Poi[];
  spawns: SceneSpawns;
  /**
   * The spots for trophies.
   */
  decor_anchors: DecorAnchor[];
  lighting: SceneLighting;
  ambience: SceneAmbience;
}
/**
 * Colours by the names that styles use.
 */
export interface Palette {
  [k: string]: Color;
}
/**
 * The room's shell, centred on the origin; it has walls at the back and on the left.
 */
export interface SceneRoom {
  /**
   * Width along x.
   */
  w: number;
  /**
   * Depth along z.
   */
  d: number;
  /**
   * Height of the walls.
   */
  h: number;
  /**
   * Thickness of the walls; 0 means that there are none.
   */
  wall_thickness: number;
  /**
   * The windows in the walls.
   */
  windows: SceneWindow[];
  /**
   * Colours of the shell: a palette name for each part.
   */
  style?: {
    [k: string]: string;
  };
}
/**
 * A window in a wall; centre is along x on the back wall and along z on the left wall.
 */
export interface SceneWindow {
  /**
   * The wall that contains the window.
   */
  wall: "back" | "left";
  /**
   * Position of the window's centre along the wall.
   */
  centre: number;
  /**
   * Width.
   */
  w: number;
  /**
   * Height of the window's lower edge.
   */
  y0: number;
  /**
   * Height of the window's upper edge.
   */
  y1: number;
  /**
   * Palette name; absent means none.
   */
  curtain?: string;
}
/**
 * The grid that people walk on: cell (i, j) has its centre at origin + (i + 0.5, j + 0.5) * cell_size.
 */
export interface SceneGrid {
  /**
   * x and z of the corner of the first cell.
   *
   * @minItems 2
   * @maxItems 2
   */
  origin: [number, number];
  /**
   * Side length of a cell.
   */
  cell_size: number;
  /**
   * Number of cells along x.
   */
  width: number;
  /**
   * Number of cells along z.
   */
  height: number;
  /**
   * Distance that people keep from furniture.
   */
  agent_radius: number;
  /**
   * One string per row from the back: # closes a cell, . opens it, a space keeps the computed value.
   */
  walkable?: string[];
}
/**
 * One piece of furniture.
 */
export interface SceneObject {
  /**
   * The id of the object.
   */
  object_id: string;
  /**
   * What the client draws, such as desk or sofa.
   */
  kind: string;
  pos: Vec3;
  /**
   * Radians about y.
   */
  rotation_y: number;
  /**
   * Absent means 1.
   */
  scale?: number;
  /**
   * w, h and d of the drawn object.
   *
   * @minItems 3
   * @maxItems 3
   */
  size?: [number, number, number];
  footprint: Footprint;
  poi_id?: PoiId;
  /**
   * How the object varies within its kind; colours are palette names.
   */
  style?: {
    [k: string]: unknown;
  };
}
/**
 * A collider on the floor, in the object's own frame.
 */
export interface Footprint {
  /**
   * The outline on the floor; none takes no space.
   */
  shape: "none" | "rect" | "ellipse";
  /**
   * Size along the object's own x.
   */
  w?: number;
  /**
   * Size along the object's own z.
   */
  d?: number;
  /**
   * Shift in the object's own x and z.
   *
   * @minItems 2
   * @maxItems 2
   */
  offset?: [number, number];
  /**
   * true if people can walk or sit there.
   */
  passable?: boolean;
  /**
   * Strength of the shadow on the floor.
   */
  shade?: number;
}
/**
 * A place that people go to; its capacity is the number of its anchors.
 */
export interface Poi {
  poi_id: PoiId;
  /**
   * inbox, task_board, meeting_table, research_desk, dev_desk, design_desk, delivery_shelf, trophy_shelf, lounge, coffee_bar, stage, garden, or another.
   */
  type: string;
  /**
   * The display name of the place.
   */
  label: string;
  /**
   * The number of its anchors.
   */
  capacity: number;
  /**
   * How close a person's avatar must be to use the place.
   */
  interaction_radius: number;
  ui_anchor: Vec3;
  camera: SceneCamera;
  /**
   * Where people stand or sit.
   *
   * @minItems 1
   */
  nav_anchors: [NavAnchor, ...NavAnchor[]];
}
/**
 * How the camera shows a place; angles in degrees.
 */
export interface SceneCamera {
  target: Vec3;
  /**
   * Distance to the target.
   */
  distance: number;
  /**
   * Angle around the y axis.
   */
  azimuth: number;
  /**
   * Angle above the floor.
   */
  elevation: number;
}
/**
 * Where one person stands or sits.
 */
export interface NavAnchor {
  id: AnchorId;
  pos: Vec3;
  facing: Vec3;
  /**
   * true for a seat.
   */
  seated?: boolean;
  /**
   * Height of the seat.
   */
  seat_height?: number;
  approach?: Vec3;
}
/**
 * Where people appear.
 */
export interface SceneSpawns {
  player: Vec3;
  /**
   * Where agents enter.
   */
  agents: Vec3[];
}
/**
 * A spot for one trophy, filled in order.
 */
export interface DecorAnchor {
  id: AnchorId;
  pos: Vec3;
  /**
   * Radians about y.
   */
  rotation_y?: number;
  /**
   * Absent means 1.
   */
  scale?: number;
  poi_id?: PoiId;
}
/**
 * The light by day and by night.
 */
export interface SceneLighting {
  day: LightSet;
  night: LightSet;
}
/**
 * The settings of all lights, by day or by night.
 */
export interface LightSet {
  hemisphere: HemisphereLight;
  sun: DirectLight;
  fill: DirectLight;
  /**
   * The lamps in the room.
   */
  lamps?: PointLight[];
  pane: Color;
  /**
   * Opacity of the window panes.
   */
  pane_opacity: number;
  /**
   * Brightness of things that glow.
   */
  emissive_scale: number;
  /**
   * Opacity of the glow around lamps.
   */
  glow_opacity: number;
  /**
   * Exposure of the picture.
   */
  exposure: number;
}
/**
 * Light from the sky and from the ground.
 */
export interface HemisphereLight {
  sky: Color;
  ground: Color;
  /**
   * Strength of the light.
   */
  intensity: number;
}
/**
 * The sun, the moon or a fill light.
 */
export interface DirectLight {
  color: Color;
  /**
   * Strength of the light.
   */
  intensity: number;
  pos: Vec3;
  /**
   * true if the light casts shadows.
   */
  shadow?: boolean;
}
/**
 * A lamp.
 */
export interface PointLight {
  color: Color;
  /**
   * Strength of the light.
   */
  intensity: number;
  /**
   * How far the light reaches; 0 means no limit.
   */
  distance: number;
  /**
   * How fast the light weakens with distance.
   */
  decay: number;
  pos: Vec3;
}
/**
 * What surrounds the room.
 */
export interface SceneAmbience {
  day: Backdrop;
  night: Backdrop;
  /**
   * Number of dust particles in the sun.
   */
  motes?: number;
  /**
   * Background sounds.
   */
  sounds?: string[];
  camera: SceneCamera;
  /**
   * Vertical field of view in degrees.
   */
  fov: number;
}
/**
 * A radial gradient from the centre to the edge.
 */
export interface Backdrop {
  /**
   * Colours from the centre to the edge.
   */
  colors: Color[];
  /**
   * Position of each colour in percent.
   */
  stops: number[];
}
/**
 * Replaces the segment of hello_ack. It precedes the first message of a record in the new segment.
 */
export interface SegmentNotice {
  /**
   * The segment to send with a cursor from now on.
   */
  segment: string;
}
/**
 * Full by default. In delta mode it builds on the snapshot base: it contains only the rows that have changed since then, and removed lists the ids of removed rows.
 */
export interface Snapshot {
  seq?: Seq;
  scene_id: SceneId;
  mode?: "full" | "delta";
  base?: string;
  agents: Agent[];
  projects: Project[];
  tasks: Task[];
  artifacts: Artifact[];
  decisions: Decision[];
  office_decor: Decor[];
  /**
   * The rooms of the campus next to the house, in opening order. Absent if there are none.
   */
  rooms?: Room[];
  /**
   * All repositories of the office. In a delta: absent if none has changed.
   */
  repos?: Repo[];
  players?: Player[];
  removed?: string[];
  /**
   * Rules that people added with "Always allow"; in full snapshots only. Absent if there are none.
   */
  rules?: AddedRule[];
  /**
   * Where agents come from; in full snapshots only. They do not change while the server runs.
   */
  sources?: Source[];
  usage?: OfficeUsage;
}
/**
 * A scene and the channels that are on.
 */
export interface Subscribe {
  scene_id: SceneId;
  channels: Channels;
  snapshots?: SnapshotOptions;
}
/**
 * Absent means off; unknown channels are ignored.
 */
export interface Channels {
  events?: boolean;
  snapshots?: boolean;
  goals?: boolean;
  chat?: boolean;
  agent_stream?: boolean;
  hud?: boolean;
  ui?: boolean;
}
/**
 * Options for the snapshot channel.
 */
export interface SnapshotOptions {
  mode?: "full" | "delta";
}
/**
 * The event as received (raw) and in the form that clients draw (normalized).
 */
export interface Ui {
  seq?: Seq;
  agent_id?: AgentId;
  /**
   * The sender's id for the workflow run.
   */
  run_id?: string;
  /**
   * The sender's session.
   */
  session?: string;
  /**
   * true if another run started this run.
   */
  subrun?: boolean;
  /**
   * The name of the event as received; may be empty if it was ignored.
   */
  name: string;
  /**
   * status, message, tool_call, tool_result, progress or ask; absent if nothing is drawn.
   */
  kind?: string;
  /**
   * The item to draw.
   */
  normalized?: {
    [k: string]: unknown;
  };
  /**
   * The payload as received, any JSON.
   */
  raw: {
    [k: string]: unknown;
  };
  /**
   * Why nothing is drawn; absent otherwise.
   */
  ignored?: string;
  /**
   * The sender; an event with the same source and event_id is recorded only once.
   */
  source?: string;
  /**
   * The sender's own id for the event.
   */
  event_id?: string;
  expires_at?: Millis;
  decision_id?: DecisionId;
}
