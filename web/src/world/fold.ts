import type { Agent, AgentGoal, Project, ProjectStatus, Snapshot, Source, Task, TimelineEvent } from '../contracts/protocol.gen.ts';
import { Draft, idOf, tables, type Rows, type RowOf, type Table } from './draft.ts';
import { foldCancelled, foldLeft, foldStatus, foldUsage, forgetClosedAsks } from './fold_guest.ts';

// These functions have the same effects as the server's fold (world/apply*.go), on the rows that
// viewers see. References to unknown rows are ignored: the next snapshot has those rows.

/** Returns the rows that result from a timeline event. */
export function foldEvent(rows: Rows, e: TimelineEvent, ts: number): Rows {
  const d = new Draft(rows);
  const touched = (folds[e.name] ?? foldNothing)(d, e, ts);
  const projectId = touched ?? e.project_id;
  if (!taskEvent.test(e.name)) d.patch('projects', e.project_id, { updated_at: ts });
  deriveStatus(d, projectId, e.name);
  deriveNeeds(d);
  return d.rows;
}

/** Returns the rows after an agent has received a new goal. */
export function foldGoal(rows: Rows, g: AgentGoal): Rows {
  const d = new Draft(rows);
  const agent = d.find('agents', g.agent_id);
  if (!agent) return rows;
  d.patch('agents', g.agent_id, {
    goal: g.goal,
    state: g.state ?? agent.state,
    // A guest's `why` explains its status, so the reason for a walk must not replace it.
    ...(agent.activity ? {} : { why: g.why }),
    task_id: g.task_id,
    ...(g.task_id || agent.source ? {} : { status_line: undefined }),
  });
  deriveNeeds(d);
  return d.rows;
}

/**
 * Returns the rows after a snapshot. A full snapshot replaces all rows; a delta changes or removes only the rows that
 * it names.
 */
export function foldSnapshot(rows: Rows, s: Snapshot): Rows {
  const d = new Draft(rows);
  const gone = new Set(s.removed);
  const delta = s.mode === 'delta';
  // A delta with repositories contains all of them.
  for (const table of tables) foldTable(d, table, snapshotRows(s, table), delta && !(table === 'repos' && s.repos) ? gone : null);
  if (!delta || s.usage) d.setUsage(s.usage ?? null);
  return d.rows;
}

function foldTable<T extends Table>(d: Draft, table: T, list: readonly RowOf<T>[], gone: ReadonlySet<string> | null): void {
  if (!gone) return d.replace(table, list);
  if (gone.size > 0) d.keep(table, (row) => !gone.has(idOf(table, row)));
  for (const row of list) d.put(table, row);
}

/** The sources to assume for older offices, which do not send any, so that a rehearsal is still marked. */
const olderSources: readonly Source[] = [{ source: 'rehearsal', label: 'Rehearsal', color: '', scripted: true }];

function snapshotRows<T extends Table>(s: Snapshot, table: T): readonly RowOf<T>[] {
  if (table === 'sources' && s.mode !== 'delta') return (s.sources ?? olderSources) as unknown as readonly RowOf<T>[];
  const list = table === 'decor' ? s.office_decor : s[table as Exclude<Table, 'decor'>];
  return (list ?? []) as unknown as readonly RowOf<T>[];
}

/**
 * Folds an event. Returns the id of the project whose status may change, or undefined for the event's own project.
 */
type Fold = (d: Draft, e: TimelineEvent, ts: number) => string | undefined;

const foldNothing: Fold = () => undefined;

const folds: Readonly<Record<string, Fold>> = {
  office_created: foldOffice,
  agent_joined: foldOffice,
  agent_status: foldStatus,
  agent_left: foldLeft,
  usage_reported: foldUsage,
  request_submitted: foldRequest,
  tasks_created: foldTasks,
  project_paused: (d, e) => void d.patch('projects', e.project_id, { status: 'paused' }),
  project_completed: (d, e) => void (e.decor && d.put('decor', e.decor)),
  project_archived: foldArchived,
  task_assigned: foldAssigned,
  task_started: (d, e, ts) => patchTask(d, e.task_id, ts, { status: 'in_progress', attempt: e.attempt, percent: 0, blocked_reason: '' }),
  task_progress: foldProgress,
  task_blocked: (d, e, ts) => patchTask(d, e.task_id, ts, { status: 'blocked', blocked_reason: e.reason }),
  task_done: foldEnd,
  task_cancelled: foldEnd,
  decision_requested: (d, e, ts) => void (e.decision && d.put('decisions', { ...e.decision, asked_at: ts })),
  decision_resolved: foldResolved,
  decision_cancelled: foldCancelled,
  room_opened: foldRoom,
  room_changed: foldRoom,
  room_closed: foldRoomClosed,
  repo_added: (d, e) => void (e.repo && d.put('repos', e.repo)),
  repo_removed: (d, e) => void d.keep('repos', (row) => row.name !== e.repo?.name),
  artifact_created: foldCreated,
  artifact_delivered: foldArtifact,
  review_requested: foldArtifact,
  review_approved: foldArtifact,
  review_changes_requested: foldArtifact,
  review_assigned: foldReview,
  review_commented: foldReview,
  review_failed: foldReview,
};

// Events about a task, a decision or an artifact, which do not change the project's updated_at.
const taskEvent = /^(task|decision|artifact|review|check|landing)_/;

function foldOffice(d: Draft, e: TimelineEvent): undefined {
  for (const profile of e.agents ?? []) {
    const known = d.find('agents', profile.agent_id) ?? { state: 'Offline', pos: [0, 0, 0], facing: [0, 0, 0] };
    // A new profile replaces the old one completely; the agent's state and activity stay.
    const { runner: _r, home_poi_id: _h, source: _s, parent_id: _p, session: _n, place: _l, model: _m, outpost: _o, node: _w, room_id: _i, seat_id: _a, ...does } = known as Agent;
    d.put('agents', { ...does, ...profile });
  }
}

function foldRoom(d: Draft, e: TimelineEvent): undefined {
  if (e.room) d.put('rooms', e.room);
}

/** Removes a room; its agents then belong to the house. */
function foldRoomClosed(d: Draft, e: TimelineEvent): undefined {
  d.keep('rooms', (room) => room.room_id !== e.room_id);
  for (const { room_id: _i, seat_id: _a, ...agent } of d.rows.agents.filter((a) => a.room_id === e.room_id)) d.put('agents', agent);
}

function foldRequest(d: Draft, e: TimelineEvent, ts: number): undefined {
  if (e.project) d.put('projects', { ...e.project, created_at: ts, updated_at: ts });
}

function foldTasks(d: Draft, e: TimelineEvent, ts: number): undefined {
  for (const task of e.tasks ?? []) d.put('tasks', { ...task, created_at: ts, updated_at: ts });
}

function foldArchived(d: Draft, e: TimelineEvent): undefined {
  for (const table of ['projects', 'tasks', 'decisions', 'artifacts'] as const) {
    d.keep(table, (row: { project_id?: string }) => row.project_id !== e.project_id);
  }
}

function patchTask(d: Draft, id: string | undefined, ts: number, change: Partial<Task>): string | undefined {
  d.patch('tasks', id, { ...change, updated_at: ts });
  return d.find('tasks', id)?.project_id;
}

function foldAssigned(d: Draft, e: TimelineEvent, ts: number): string | undefined {
  const task = d.find('tasks', e.task_id);
  if (!task || !d.find('agents', e.agent_id)) return undefined;
  release(d, task);
  d.patch('agents', e.agent_id, { task_id: task.task_id });
  if (e.auto) d.patch('projects', task.project_id, { auto_assign: true });
  return patchTask(d, task.task_id, ts, { assignee: e.agent_id });
}

function foldProgress(d: Draft, e: TimelineEvent, ts: number): string | undefined {
  d.patch('agents', d.find('tasks', e.task_id)?.assignee, { status_line: e.preview_text });
  return patchTask(d, e.task_id, ts, { percent: e.percent });
}

function foldEnd(d: Draft, e: TimelineEvent, ts: number): string | undefined {
  const task = d.find('tasks', e.task_id);
  if (!task) return undefined;
  release(d, task);
  if (e.name === 'task_done') return patchTask(d, task.task_id, ts, { status: 'done', percent: 100 });
  const open = ['created', 'delivered', 'in_review', 'changes_requested'];
  for (const a of d.rows.artifacts) {
    if (a.task_id === task.task_id && open.includes(a.status)) d.patch('artifacts', a.artifact_id, { status: 'superseded' });
  }
  return patchTask(d, task.task_id, ts, { status: 'cancelled' });
}

/** Frees the task's assignee, if it is still working on the task. */
function release(d: Draft, task: Task): void {
  const agent = d.find('agents', task.assignee);
  if (agent?.task_id === task.task_id) d.patch('agents', agent.agent_id, { task_id: '', status_line: '' });
}

function foldResolved(d: Draft, e: TimelineEvent, ts: number): string | undefined {
  d.patch('decisions', e.decision_id, { status: 'resolved', choice: e.choice, choices: e.choices, note: e.note, rule_id: e.rule_id });
  const decision = d.find('decisions', e.decision_id);
  if (!decision) return undefined;
  forgetClosedAsks(d);
  if (!decision.task_id) return undefined;
  // A retry is a new attempt, so its own task_started event follows.
  const back: Partial<Task> = decision.kind === 'retry' ? {} : { status: 'in_progress', blocked_reason: '' };
  return patchTask(d, decision.task_id, ts, back);
}

function foldCreated(d: Draft, e: TimelineEvent): undefined {
  if (!e.artifact) return;
  d.put('artifacts', e.artifact);
  d.patch('artifacts', e.artifact.parent, { status: 'superseded' });
}

function foldArtifact(d: Draft, e: TimelineEvent, ts: number): string | undefined {
  const task = d.find('tasks', d.find('artifacts', e.artifact_id)?.task_id);
  switch (e.name) {
    case 'artifact_delivered':
      d.patch('artifacts', e.artifact_id, { status: 'delivered', poi_id: e.poi_id });
      break;
    case 'review_requested':
      d.patch('artifacts', e.artifact_id, { status: 'in_review' });
      if (task) {
        release(d, task);
        return patchTask(d, task.task_id, ts, { status: 'review', percent: 100 });
      }
      break;
    case 'review_approved':
      d.patch('artifacts', e.artifact_id, { status: 'approved' });
      break;
    case 'review_changes_requested':
      d.patch('artifacts', e.artifact_id, { status: 'changes_requested' });
      // A check of the pull request failed.
      if (task?.status === 'done') return patchTask(d, task.task_id, ts, { status: 'review' });
  }
  return patchTask(d, task?.task_id, ts, {});
}

/** Replaces an agent's review of a patch. */
function foldReview(d: Draft, { artifact_id: id, review }: TimelineEvent): undefined {
  const others = d.find('artifacts', id)?.reviews?.filter((r) => r.agent_id !== review?.agent_id) ?? [];
  if (review) d.patch('artifacts', id, { reviews: [...others, review] });
}

/** Derives a project's status from its tasks, unless the project is still being planned or is paused. */
function deriveStatus(d: Draft, id: string | undefined, because: string): void {
  const project = d.find('projects', id);
  if (!project || because === 'request_submitted') return;
  const tasks = d.rows.tasks.filter((task) => task.project_id === id);
  d.patch('projects', id, { status: statusOf(project, tasks, because) });
}

function statusOf(project: Project, tasks: readonly Task[], because: string): ProjectStatus {
  if (project.status === 'paused' && because !== 'project_resumed') return 'paused';
  if (project.status === 'planning' && because !== 'kickoff_finished') return 'planning';
  if (because === 'project_resumed' && tasks.length === 0) return 'planning';
  const open = tasks.filter((task) => task.status !== 'done' && task.status !== 'cancelled');
  if (open.length === 0) return 'completed';
  const blocked = open.some((task) => task.status === 'blocked');
  return blocked && !open.some((task) => task.status === 'in_progress') ? 'blocked' : 'executing';
}

/**
 * Sets needs_you for each agent that is waiting for an answer to a question about its task or to a question of its
 * own; clears it for all other agents.
 */
function deriveNeeds(d: Draft): void {
  const open = d.rows.decisions.filter((q) => q.status === 'open' && !q.session);
  const asking = new Set(open.map((q) => q.task_id));
  const outsiders = new Set(open.filter((q) => !q.project_id).map((q) => q.asked_by));
  for (const agent of d.rows.agents) {
    const needs = (agent.task_id !== undefined && asking.has(agent.task_id)) || outsiders.has(agent.agent_id);
    if (needs !== (agent.needs_you ?? false)) d.patch('agents', agent.agent_id, { needs_you: needs });
  }
}
