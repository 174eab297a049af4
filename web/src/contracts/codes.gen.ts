// Generated from package contracts by "go run ./contracts/gen". Do not edit.

/** ErrorCode: in the order of the checks that produce them. */
export const errorCodes = [
  "NOT_ALLOWED",
  "RATE_LIMITED",
  "VALIDATION_FAILED",
  "NOT_FOUND",
  "CONFLICT",
  "INTERNAL",
  "PROTOCOL_VERSION_UNSUPPORTED",
] as const;

/** ResumeReason: the outcomes of a resume request. */
export const resumeReasons = [
  "CURSOR_OK",
  "CURSOR_STALE",
  "CURSOR_UNKNOWN",
  "REPLAY_UNAVAILABLE",
  "SERVER_RESTARTED",
] as const;

/** CommandName: the commands that people send. */
export const commandNames = [
  "submit_request",
  "assign_task",
  "auto_assign",
  "resolve_decision",
  "approve_artifact",
  "request_changes",
  "split_into_tasks",
  "player_pos",
  "move_player_to",
  "start_kickoff",
  "reassign_task",
  "cancel_task",
  "pause_project",
  "resume_project",
  "rerun_task",
  "chat",
  "new_session",
  "switch_agent",
  "stop_agent",
  "kill_agent",
  "handover",
  "revoke_rule",
] as const;

/** EventName: the events in the timeline. */
export const eventNames = [
  "office_created",
  "request_submitted",
  "request_accepted",
  "kickoff_started",
  "kickoff_finished",
  "tasks_created",
  "task_assigned",
  "task_started",
  "task_progress",
  "task_blocked",
  "decision_requested",
  "decision_resolved",
  "artifact_created",
  "artifact_delivered",
  "review_requested",
  "review_approved",
  "review_changes_requested",
  "task_done",
  "resync_fallback_snapshot",
  "agent_joined",
  "task_cancelled",
  "decision_cancelled",
  "project_paused",
  "project_resumed",
  "project_completed",
  "project_archived",
  "agent_status",
  "agent_left",
  "usage_reported",
  "agent_reset",
  "agent_switched",
  "audited",
  "record_redacted",
  "room_opened",
  "room_changed",
  "room_closed",
  "rule_added",
  "rule_revoked",
] as const;

/** Why the server closes a socket, and whether a client may reconnect. */
export const closeCodes = {
  goingAway: { code: 1001, reconnects: true },
  framing: { code: 1002, reconnects: false },
  binary: { code: 1003, reconnects: false },
  notUTF8: { code: 1007, reconnects: false },
  policy: { code: 1008, reconnects: false },
  tooBig: { code: 1009, reconnects: false },
  overloaded: { code: 1013, reconnects: true },
  heartbeat: { code: 4000, reconnects: true },
  helloTimeout: { code: 4001, reconnects: false },
  version: { code: 4002, reconnects: false },
  revoked: { code: 4003, reconnects: false },
  slowConsumer: { code: 4008, reconnects: true },
  violations: { code: 4009, reconnects: false },
  replaced: { code: 4010, reconnects: true },
  insufficientState: { code: 4011, reconnects: true },
} as const;
