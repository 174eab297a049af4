import type { OfficeUsage, TimelineEvent, Usage, UsageTotal } from '../contracts/protocol.gen.ts';
import type { Draft } from './draft.ts';

// These functions are the counterpart of world/apply_guest.go and world/usage.go.

// How many closed questions without a project stay visible (contracts.LimitClosedAsks).
const limitClosedAsks = 64;

/** Applies a guest's new status. Crew members are skipped, because their status comes from their goal. */
export function foldStatus(d: Draft, e: TimelineEvent): undefined {
  const { status } = e;
  if (!status || !d.find('agents', status.agent_id)?.source) return;
  const { agent_id, activity, authority, since, why, line, said } = status;
  d.patch('agents', agent_id, { activity, authority, since, why, status_line: line, said });
}

export function foldLeft(d: Draft, e: TimelineEvent): undefined {
  d.keep('agents', (row) => row.agent_id !== e.agent_id);
}

export function foldCancelled(d: Draft, e: TimelineEvent): undefined {
  d.patch('decisions', e.decision_id, { status: 'cancelled', reason: e.reason });
  forgetClosedAsks(d);
}

/** Of the closed questions without a project, keeps only the newest ones; the ledger still has the others. */
export function forgetClosedAsks(d: Draft): void {
  const closed = d.rows.decisions.filter((q) => !q.project_id && q.status !== 'open');
  if (closed.length <= limitClosedAsks) return;
  const old = new Set(closed.slice(0, -limitClosedAsks));
  d.keep('decisions', (row) => !old.has(row));
}

export function foldUsage(d: Draft, e: TimelineEvent, ts: number): undefined {
  const { usage } = e;
  if (!usage) return;
  const agent = d.find('agents', e.agent_id);
  if (agent) d.patch('agents', e.agent_id, { usage: plus(agent.usage, usage), ...contextOf(usage) });
  const task = d.find('tasks', e.task_id);
  if (task) d.patch('tasks', e.task_id, { usage: plus(task.usage, usage) });
  d.setUsage(officePlus(d.rows.usage, usage, ts));
}

/** Returns how many tokens the model read for a message, or nothing for a report on a whole turn, which has no `at`. */
function contextOf(u: Usage): { context?: number } {
  const read = (u.tokens_in ?? 0) + (u.cache_read ?? 0) + (u.cache_write ?? 0);
  return u.at && read > 0 ? { context: read } : {};
}

function officePlus(before: OfficeUsage | null, usage: Usage, ts: number): OfficeUsage {
  const day = new Date(ts).toISOString().slice(0, 10);
  const lifetime = plus(before?.lifetime, usage);
  // A late report from a previous day counts only towards the lifetime total.
  if (before && day < before.day) return { ...before, lifetime };
  return { day, today: plus(before?.day === day ? before.today : undefined, usage), lifetime };
}

const nothing: UsageTotal = { tokens_in: 0, tokens_out: 0, cost_usd: 0, priced: 0, unpriced: 0 };

/** Adds a report to a total; a report without a price counts as unpriced, never as free. */
export function plus(total: UsageTotal = nothing, u: Usage): UsageTotal {
  const sum = (a: number | undefined, b: number | undefined): number => (a ?? 0) + (b ?? 0);
  const read = sum(total.cache_read, u.cache_read);
  const write = sum(total.cache_write, u.cache_write);
  const priced = u.cost_usd !== undefined;
  const estimated = sum(total.estimated, Number(u.estimated ?? false));
  const listed = sum(total.listed, Number((priced && u.listed) ?? false));
  return {
    tokens_in: sum(total.tokens_in, u.tokens_in),
    tokens_out: sum(total.tokens_out, u.tokens_out),
    ...(read > 0 && { cache_read: read }),
    ...(write > 0 && { cache_write: write }),
    cost_usd: sum(total.cost_usd, u.cost_usd),
    priced: total.priced + (priced ? 1 : 0),
    unpriced: total.unpriced + (priced ? 0 : 1),
    ...(estimated > 0 && { estimated }),
    ...(listed > 0 && { listed }),
  };
}
