import type { Agent, Activity, AgentState, ArtifactStatus, EventName, EvidenceSource, ProjectStatus, Source, TaskStatus } from '../contracts/protocol.gen.ts';
import type { AgentView } from './rows.ts';

const states: Record<AgentState, string> = {
  IdleAtHome: 'Free',
  WalkingToPOI: 'On the way',
  WorkingAtPOI: 'Working',
  InMeeting: 'In a meeting',
  DeliveringArtifact: 'Delivering',
  SeekingUserDecision: 'Needs your answer',
  WalkingToPlayer: 'Coming to you',
  BlockedWaiting: 'Waiting',
  Offline: 'Away',
};

const activities: Record<Activity, string> = {
  working: 'Working',
  waiting: 'Waits for you',
  idle: 'Idle',
  offline: 'Offline',
};

/** Who says so. */
const sources: Record<EvidenceSource, string> = {
  hook: 'its own hook',
  transcript: 'its transcript',
  gateway: 'its gateway',
  stream: 'what it writes',
  process: 'its process',
  silence: 'its silence',
  event: 'its own event',
  office: 'the office',
};

const roles: Record<string, string> = {
  bd: 'Business development',
  researcher: 'Researcher',
  writer: 'Writer',
  designer: 'Designer',
  engineer: 'Engineer',
  strategist: 'Strategist',
  reviewer: 'Reviewer',
  guest: 'Guest',
};

const taskStatuses: Record<TaskStatus, string> = {
  planned: 'Planned',
  in_progress: 'In progress',
  blocked: 'Blocked',
  review: 'In review',
  done: 'Done',
  cancelled: 'Cancelled',
};

const projectStatuses: Record<ProjectStatus, string> = {
  planning: 'Planning',
  executing: 'Under way',
  blocked: 'Blocked',
  paused: 'Paused',
  completed: 'Completed',
  archived: 'Archived',
};

const artifactStatuses: Record<ArtifactStatus, string> = {
  created: 'Made',
  delivered: 'Delivered',
  in_review: 'Ready for review',
  approved: 'Approved',
  changes_requested: 'Changes requested',
  superseded: 'Superseded',
  archived: 'Archived',
};

const events: Record<EventName, string> = {
  office_created: 'The office opened',
  request_submitted: 'Request submitted',
  request_accepted: 'Request accepted',
  kickoff_started: 'Kickoff started',
  kickoff_finished: 'Kickoff finished',
  tasks_created: 'Tasks created',
  task_assigned: 'Task assigned',
  task_started: 'Work started',
  task_progress: 'Progress',
  task_blocked: 'Task blocked',
  decision_requested: 'Question for you',
  decision_resolved: 'Question answered',
  artifact_created: 'Deliverable made',
  artifact_delivered: 'Delivered',
  review_requested: 'Ready for review',
  review_approved: 'Approved',
  review_changes_requested: 'Changes requested',
  task_done: 'Task done',
  resync_fallback_snapshot: 'Reloaded the state',
  agent_joined: 'Somebody joined',
  agent_status: 'Status changed',
  agent_left: 'Somebody left',
  usage_reported: 'Usage reported',
  agent_reset: 'New session',
  agent_switched: 'Another agent answers',
  audited: 'Audit record',
  record_redacted: 'Text was erased',
  task_cancelled: 'Task cancelled',
  decision_cancelled: 'Question withdrawn',
  project_paused: 'Project paused',
  project_resumed: 'Project resumed',
  project_completed: 'Project completed',
  project_archived: 'Project archived',
};

export const stateWords = (state: string): string => look(states, state);
export const activityWords = (activity: string): string => look(activities, activity);
export const sourceWords = (source: string): string => look(sources, source);
/** What the office told of a source or runner. */
export const sourceNamed = (sources: readonly Source[], name: string | undefined): Source | undefined => sources.find((s) => s.source === name);
/** Where a guest comes from. */
export const guestWords = ({ source = '', from }: Pick<AgentView, 'source' | 'from'>): string => from?.label ?? look({}, source);
/** What somebody of the crew runs on: the runner by its name, unless it only follows a script. */
export const runnerWords = ({ runner, from }: Pick<AgentView, 'runner' | 'from'>): string => (from?.scripted ? from.label : (runner ?? 'Unknown runner'));
/** A UUID at the beginning: its first group is enough to find a session. */
const uuid = /^([\da-f]{8})(-[\da-f]{4}){3}-[\da-f]{12}.*/i;
/** Where an agent waits that cannot be answered here. */
export function answerThere({ source, place, session }: Agent): string {
  const name = session?.replace(`${source}:`, '').replace(uuid, '$1');
  return `Answer in its terminal${place ? ` in ${place}` : ''}${name ? ` (session ${name})` : ''}`;
}
export const roleWords = (role: string | undefined): string => (role ? look(roles, role) : 'Colleague');
export const taskWords = (status: string): string => look(taskStatuses, status);
export const projectWords = (status: string): string => look(projectStatuses, status);
export const artifactWords = (status: string): string => look(artifactStatuses, status);
export const eventWords = (name: string): string => look(events, name);

/** Whether this build knows an event of that name. */
export const knownEvent = (name: string): boolean => Object.hasOwn(events, name);

// What a later version adds is shown as it is called, only readable.
function look(table: Readonly<Record<string, string>>, key: string): string {
  if (Object.hasOwn(table, key)) return table[key]!;
  const plain = key.replaceAll('_', ' ').replaceAll(/([a-z])([A-Z])/g, '$1 $2').trim().toLowerCase();
  return plain === '' ? key : plain[0]!.toUpperCase() + plain.slice(1);
}
