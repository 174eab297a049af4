import type { Ui, UiMessage } from '../contracts/protocol.gen.ts';
import { same } from './draft.ts';
import type { UiRow } from './rows.ts';
import { Shelf } from './shelf.ts';
import * as say from '../contracts/words.gen.ts';

/** What a run says that it does, how far it is, or what it asks. */
export interface StatusRow {
  /** One for each kind, agent and run. */
  key: string;
  kind: 'status' | 'progress' | 'ask';
  seq: number;
  ts: number;
  text: string;
  agent_id?: string;
  run_id?: string;
  /** Server time; absent when it stays until it is replaced. */
  expires_at?: number;
  percent?: number;
  /** Seconds that are left, as the run believes. */
  eta_s?: number;
  /** The question that it became. */
  decision_id?: string;
}

/** A message of a workflow to the person. */
export interface NoticeRow {
  id: string;
  seq: number;
  ts: number;
  text: string;
  level: 'info' | 'success' | 'warning' | 'error';
  title?: string;
  meta?: object;
  agent_id?: string;
  run_id?: string;
  /** From history: it was said before this page was looking. */
  replay: boolean;
}

const limitNotices = 200;
const limitStatus = 100;
const limitLog = 200;
// Stale progress is not shown forever.
const progressFor = 10 * 60_000;
// What is finished is still seen to be so.
const finishedFor = 6000;
const levels = ['info', 'success', 'warning', 'error'] as const;

/** What workflows announce: a status for each run, and messages. */
export class Bulletin {
  /** Cleared ones stay with an empty text, so that an older message that comes late does not bring them back. */
  private readonly runs = new Map<string, StatusRow>();
  private readonly shelf = new Shelf<NoticeRow>(limitNotices);
  private readonly raw = new Shelf<UiRow>(limitLog);
  private shown: readonly StatusRow[] = [];

  take(m: UiMessage, replay: boolean): void {
    const { ignored, seq = 0, kind = m.payload.name.replace(/^abstract\./, '') } = m.payload;
    this.raw.add({ id: m.id, seq, ts: m.ts, ui: m.payload });
    if (ignored) return;
    if (kind === 'status' || kind === 'progress' || kind === 'ask') this.status(m, kind);
    if (kind === 'message') this.message(m, replay);
  }

  /** Everything as it came, for those who want to see why something is not drawn. */
  log(): readonly UiRow[] {
    return this.raw.all();
  }

  /** The statuses that hold now, the newest last; the same array while they do. */
  current(now: number): readonly StatusRow[] {
    const fresh = [...this.runs.values()].filter((row) => row.text !== '' && holds(row, now)).sort((a, b) => a.seq - b.seq);
    return (this.shown = same(fresh, this.shown) ? this.shown : fresh);
  }

  notices(): readonly NoticeRow[] {
    return this.shelf.all();
  }

  clear(): void {
    this.runs.clear();
    this.shelf.clear();
    this.raw.clear();
  }

  private status(m: UiMessage, kind: StatusRow['kind']): void {
    const { seq = 0, normalized = {}, decision_id } = m.payload;
    const far = kind === 'progress' ? progressOf(normalized) : {};
    const text = textOf(normalized, kind);
    if (text === undefined) return;
    const who = origin(m.payload);
    const key = JSON.stringify([kind, who.agent_id ?? '', who.run_id ?? '']);
    if ((this.runs.get(key)?.seq ?? -1) >= seq) return;
    const end = m.payload.expires_at ?? (kind === 'progress' ? m.ts + (far.done ? finishedFor : progressFor) : expiry(normalized, m.ts));
    this.runs.delete(key);
    this.runs.set(key, {
      key, kind, seq, ts: m.ts, text, ...who, ...(end !== undefined && { expires_at: end }),
      ...(far.percent !== undefined && { percent: far.percent }), ...(far.eta_s !== undefined && { eta_s: far.eta_s }),
      ...(decision_id !== undefined && { decision_id }),
    });
    if (this.runs.size > limitStatus) this.runs.delete(this.runs.keys().next().value!);
  }

  private message(m: UiMessage, replay: boolean): void {
    const { seq = 0, normalized = {} } = m.payload;
    const { text, title, meta } = normalized;
    if (typeof text !== 'string' || text.trim() === '') return;
    this.shelf.add({
      id: m.id,
      seq,
      ts: m.ts,
      text,
      level: levels.find((level) => level === normalized['level']) ?? 'info',
      ...(typeof title === 'string' && title !== '' && { title }),
      ...(typeof meta === 'object' && meta !== null && { meta }),
      ...origin(m.payload),
      replay,
    });
  }
}

type Normalized = NonNullable<Ui['normalized']>;

/** The words of it; a progress may have none, then its stage or just its bar speaks. */
function textOf(n: Normalized, kind: StatusRow['kind']): string | undefined {
  if (kind === 'status' && n['clear'] === true) return '';
  if (typeof n['text'] === 'string') return n['text'].trim();
  const said = kind === 'status' ? [] : [n['prompt']];
  const found = said.find((one): one is string => typeof one === 'string' && one.trim() !== '');
  return found?.trim() ?? (kind === 'status' ? undefined : kind === 'progress' ? say.agentStates.WorkingAtPOI : say.question);
}

function progressOf(n: Normalized): { percent?: number; eta_s?: number; done?: boolean } {
  const number = (value: unknown): number | undefined => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);
  const far = number(n['percent']);
  const percent = far === undefined ? undefined : Math.max(0, Math.min(100, far));
  const eta = number(n['eta_s']) ?? number(n['eta_seconds']) ?? number(n['remaining_s']);
  const done = n['terminal'] === true || n['final'] === true || percent === 100;
  return { ...(percent !== undefined && { percent }), ...(eta !== undefined && eta >= 0 && !done && { eta_s: eta }), done };
}

/** Whether a status is still true. */
export function holds(row: StatusRow, now: number): boolean {
  return row.expires_at === undefined || row.expires_at > now;
}

function origin({ agent_id, run_id }: Ui): { agent_id?: string; run_id?: string } {
  return { ...(agent_id !== undefined && { agent_id }), ...(run_id !== undefined && { run_id }) };
}

// The server says when it ends; an older one says only how many seconds it lasts.
function expiry({ expires_at: end, duration }: Normalized, ts: number): number | undefined {
  if (typeof end === 'number') return end;
  return typeof duration === 'number' && duration > 0 ? ts + duration * 1000 : undefined;
}
