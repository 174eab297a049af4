import { AGENT_BD, RAISED_HAND_WINDOW_MS } from '../contracts/limits.gen.ts';
import type { Agent, Artifact, Decision, EndedSession, Project, Task } from '../contracts/protocol.gen.ts';
import type { Need } from './rows.ts';

/** The rows that needs are derived from. */
export interface NeedRows {
  agents: readonly Agent[];
  projects: readonly Project[];
  tasks: readonly Task[];
  artifacts: readonly Artifact[];
  decisions: readonly Decision[];
}

// Urgencies, most urgent first: a live session is waiting; a task is blocked; work has not started;
// work is done; a session has ended and nothing is waiting.
const LIVE = 0;
const TASK = 1;
const PLAN = 2;
const REVIEW = 3;
const NOTHING = 4;

/**
 * Returns all of the user's needs, most urgent first. model/needs.go follows the same rules;
 * contracts/vectors/needs.json tests both.
 */
export function needs(rows: NeedRows): readonly Need[] {
  const known = [...rows.decisions.filter((d) => d.status === 'open').map(ofDecision), ...plans(rows), ...reviews(rows)];
  return [...known, ...elsewhere(rows, known)].sort(
    (a, b) => a.urgency - b.urgency || (a.until ?? Infinity) - (b.until ?? Infinity) || a.since - b.since || (a.ref < b.ref ? -1 : 1),
  );
}

/** Groups needs that pose the same question. Each group is placed where its first need was in the list. */
export function groupNeeds(list: readonly Need[]): readonly (readonly Need[])[] {
  const groups = new Map<string, Need[]>();
  for (const need of list) {
    const key = need.same ?? `ref ${need.ref}`;
    groups.set(key, [...(groups.get(key) ?? []), need]);
  }
  return [...groups.values()];
}

function ofDecision(d: Decision): Need {
  if (d.session) return ofSession(d, d.session);
  const permission = d.kind === 'permission';
  return {
    ref: d.decision_id,
    kind: permission ? 'permission' : 'decision',
    urgency: permission || !d.task_id || d.expires_at ? LIVE : TASK,
    title: d.prompt,
    since: d.asked_at ?? 0,
    ...(d.asked_by && { agent_id: d.asked_by }),
    ...(d.expires_at && { until: d.expires_at }),
    ...sameKey(permission ? samePermission(d) : sameQuestion(d)),
  };
}

function ofSession({ decision_id, prompt, asked_by, asked_at }: Decision, { agent }: EndedSession): Need {
  const who = { ...(asked_by && { agent_id: asked_by }), name: agent.name ?? agent.agent_id };
  return { ref: decision_id, kind: 'unchecked', urgency: NOTHING, title: prompt, since: asked_at ?? 0, ...who };
}

const sameKey = (key: unknown[] | null): Pick<Need, 'same'> => (key ? { same: JSON.stringify(key) } : {});

// Marks of truncated and redacted text; needs with such text may differ even if they look the same.
const CUT = '…';
const REDACTED = '[redacted]';

/**
 * Returns a key that is equal for the same question in the same project. Equal questions in two projects have different
 * keys, because "this request" means a different request in each. Null if the prompt is incomplete.
 */
function sameQuestion(d: Decision): unknown[] | null {
  if (d.prompt.endsWith(CUT) || d.prompt.includes(REDACTED)) return null;
  return [d.project_id, d.kind, d.allow_free_text ?? false, d.multiple ?? false, d.permission?.place, d.header, d.prompt, d.options, d.descriptions];
}

/**
 * Returns a key that is equal for permission requests with the same tool, input, folder, grants and answers, or null
 * if one of these is not completely known.
 */
function samePermission({ permission: p, options }: Decision): unknown[] | null {
  if (!p?.tool || !p.place || p.args === undefined) return null;
  const args = JSON.stringify(p.args, exact);
  if (args.includes(UNKNOWN) || args.includes(REDACTED) || args.includes('"truncated":true')) return null;
  return ['permission', p.tool, p.place, p.grants, args, options];
}

// Replaces numbers that JSON.parse may have rounded, because the original numbers may differ.
const UNKNOWN = '[rounded]';

/** A replacer for JSON.stringify that sorts members and marks numbers that may have been rounded. */
function exact(_: string, value: unknown): unknown {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER ? UNKNOWN : value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function plans({ agents, projects, tasks }: NeedRows): Need[] {
  const bd = agents.some((a) => a.agent_id === AGENT_BD) && { agent_id: AGENT_BD };
  return projects.flatMap((p): Need[] => {
    const first = unstarted(p, tasks)[0];
    return first ? [{ ref: p.project_id, kind: 'plan', urgency: PLAN, title: p.title, since: first.created_at ?? 0, ...bd }] : [];
  });
}

/**
 * Returns a project's tasks that a person has to assign. Paused projects and projects that assign their own tasks have
 * none. Reviews are included once there is something to review; the director uses the same rule.
 */
export function unstarted(p: Project, tasks: readonly Task[]): readonly Task[] {
  if (p.auto_assign || (p.status !== 'executing' && p.status !== 'blocked')) return [];
  const own = tasks.filter((t) => t.project_id === p.project_id);
  const made = own.every((t) => t.kind === 'review' || ['review', 'done', 'cancelled'].includes(t.status));
  return own.filter((t) => t.status === 'planned' && !t.assignee && (made || t.kind !== 'review'));
}

function reviews({ artifacts, tasks }: NeedRows): Need[] {
  // A review starts with the last change to its task.
  const dates = new Map(tasks.map((task) => [task.task_id, task.updated_at ?? 0]));
  return artifacts
    .filter((a) => a.status === 'in_review')
    .map((a) => ({
      ref: a.artifact_id,
      kind: 'review',
      urgency: REVIEW,
      title: a.title || a.type,
      since: (a.task_id && dates.get(a.task_id)) || 0,
      ...(a.created_by && { agent_id: a.created_by }),
    }));
}

/** Returns a need for each raised hand that no other need explains; it is answered in the agent's own terminal. */
function elsewhere({ agents, decisions }: NeedRows, all: readonly Need[]): Need[] {
  const others = all.filter((n) => n.kind !== 'unchecked');
  const explained = new Set(others.map((n) => n.agent_id));
  // A sub-agent's question is asked in its parent's session.
  for (const a of agents) if (a.parent_id && others.some((n) => n.agent_id === a.agent_id)) explained.add(a.parent_id);
  return agents
    .filter((a) => hasRaisedHand(a) && !explained.has(a.agent_id) && !decisions.some((d) => wasAnswered(a, d)))
    .map((a) => ({ ref: a.agent_id, kind: 'elsewhere', urgency: LIVE, title: wordsOf(a), agent_id: a.agent_id, since: a.since ?? 0 }));
}

const wordsOf = (a: Agent): string => a.status_line || a.why || '';

/**
 * Reports whether an agent has raised its hand: a guest if its activity is `waiting`, a crew member if it has no task
 * and is waiting for a person (questions about tasks are decisions).
 */
function hasRaisedHand(a: Agent): boolean {
  if (a.source) return a.activity === 'waiting';
  if (a.task_id) return false;
  const seeks = a.state === 'SeekingUserDecision' || a.state === 'WalkingToPlayer';
  return seeks || (a.state === 'BlockedWaiting' && a.goal?.kind === 'wait_for_user');
}

/**
 * Reports whether an agent's hand was raised for a decision that has already been answered, so the hand will soon be
 * lowered.
 */
function wasAnswered(a: Agent, d: Decision): boolean {
  if (d.asked_by !== a.agent_id || d.status !== 'resolved' || (a.since ?? 0) > (d.asked_at ?? 0) + RAISED_HAND_WINDOW_MS) return false;
  const said = wordsOf(a).replace(/…$/, '');
  const label = d.permission?.label;
  return (!!label && said.endsWith(label)) || d.prompt.startsWith(said) || said.endsWith(d.prompt);
}
