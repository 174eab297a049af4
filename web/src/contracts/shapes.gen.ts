// Generated from contracts/schemas by "npm run gen:contracts". Do not edit.

/** The shape of each type of message, by the name of its payload. */
export const payloads: Readonly<Record<string, string>> = {
  hello_ack: "hello_ack",
  event: "event",
  snapshot: "snapshot",
  agent_goal: "agent_goal",
  agent_stream: "stream_delta",
  chat: "chat",
  ack: "ack",
  error: "error",
  hud: "hud",
  ui: "ui",
};

/** Shapes by name: see check.ts. */
export const shapes: Readonly<Record<string, unknown>> = {
  ack: {"in_reply_to":"string","status":"string","seq?":"number","duplicate?":"boolean","result?":"result"},
  agent: {"agent_id":"string","name?":"string","role?":"string","runner?":"string","home_poi_id?":"string","state":"string","pos":"vec3","facing?":"vec3","goal?":"goal","task_id?":"string","status_line?":"string","needs_you?":"boolean","why?":"string"},
  agent_goal: {"seq?":"number","agent_id":"string","goal":"goal","path":["vec3"],"speed_mps":"number","arrival_radius?":"number","started_at?":"number","facing?":"vec3","state?":"string","why?":"string","task_id?":"string"},
  agent_profile: {"agent_id":"string","name?":"string","role?":"string","runner?":"string","home_poi_id?":"string"},
  artifact: {"artifact_id":"string","project_id":"string","task_id?":"string","type":"string","title?":"string","status":"string","version":"number","parent?":"string","mime?":"string","bytes?":"number","sha256?":"string","poi_id?":"string","created_by?":"string","rehearsal?":"boolean"},
  assignment: {"task_id":"string","agent_id":"string"},
  chat: {"seq?":"number","thread_id":"string","from":"string","to":"string","text":"string","suggested_actions?":["suggested_action"],"project_id?":"string","answers_seq?":"number","rehearsal?":"boolean"},
  decision: {"decision_id":"string","project_id":"string","task_id?":"string","status":"string","kind?":"string","prompt":"string","options":["string"],"allow_free_text?":"boolean","choice?":"string","note?":"string","asked_by?":"string","asked_at?":"number"},
  decor: {"decor_id":"string","anchor_id":"string","unlocked_by_project_id":"string","outcome?":"string"},
  error: {"in_reply_to":"string","duplicate?":"boolean","code":"string","message":"string","field?":"string","retry_after_ms?":"number","supported_versions?":["number"]},
  event: {"seq?":"number","name":"string","project_id?":"string","task_id?":"string","agent_id?":"string","artifact_id?":"string","decision_id?":"string","poi_id?":"string","scene_id?":"string","office_id?":"string","participants?":["string"],"kind?":"string","percent?":"number","preview_text?":"string","attempt?":"number","run_id?":"string","auto?":"boolean","from_agent_id?":"string","choice?":"string","note?":"string","instructions?":"string","reason?":"string","last_seq?":"number","project?":"project","tasks?":["task"],"decision?":"decision","artifact?":"artifact","decor?":"decor","agents?":["agent_profile"],"meta?":"meta"},
  goal: {"kind":"string","poi_id?":"string","anchor_id?":"string","player_id?":"string"},
  heartbeat: {"interval_ms":"number","timeout_ms":"number"},
  hello_ack: {"session_id":"string","protocol_version":"number","protocol_v?":"number","epoch?":"string","resume?":"resume_reply","server?":"server_info","heartbeat?":"heartbeat","features?":["string"],"access?":"string","player_id?":"string"},
  hud: {"seq?":"number","event":"string","correlationId?":"string","parentId?":"string","agent_id?":"string","session?":"string","task_id?":"string","tool?":"string","args?":"any","result?":"any","durationMs?":"number","subtype?":"string","label?":"string","payload?":"any","replay?":"boolean","rehearsal?":"boolean"},
  meta: {"title?":"string","summary?":"string"},
  player: {"player_id":"string","name?":"string","pos":"vec3","facing?":"vec3","since?":"number"},
  project: {"project_id":"string","title":"string","status":"string","request?":"string","constraints?":"object","attachments?":["any"],"created_at?":"number","updated_at?":"number","archived_at?":"number"},
  result: {"project_id?":"string","task_ids?":["string"],"assignments?":["assignment"],"artifact_id?":"string","decision_id?":"string","path?":["vec3"],"speed_mps?":"number"},
  resume_reply: {"status":"string","reason":"string","replay_from_seq?":"number"},
  server_info: {"name":"string","version":"string"},
  snapshot: {"seq?":"number","scene_id":"string","mode?":"string","base?":"string","agents":["agent"],"projects":["project"],"tasks":["task"],"artifacts":["artifact"],"decisions":["decision"],"office_decor":["decor"],"players?":["player"],"removed?":["string"]},
  stream_delta: {"stream_id":"string","agent_id":"string","project_id?":"string","task_id?":"string","kind":"string","seq":"number","delta":"string","done":"boolean","catch_up?":"boolean","rehearsal?":"boolean"},
  suggested_action: {"action":"string","label":"string","project_id?":"string","artifact_id?":"string","decision_id?":"string"},
  task: {"task_id":"string","project_id":"string","title":"string","description?":"string","kind?":"string","status":"string","assignee?":"string","priority?":"number","blocked_reason?":"string","attempt?":"number","percent?":"number","rerun_of?":"string","split_from?":"string","created_at?":"number","updated_at?":"number"},
  ui: {"seq?":"number","agent_id?":"string","run_id?":"string","session?":"string","name":"string","kind?":"string","normalized?":"object","raw":"any","ignored?":"string"},
  vec3: ["number",3],
};
