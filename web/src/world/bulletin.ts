import type { Ui, UiMessage } from '../contracts/protocol.gen.ts';
import { same } from './draft.ts';
import type { UiRow } from './rows.ts';
import { OrderedLog } from './ordered_log.ts';
import * as say from '../contracts/words.gen.ts';

/** The status, progress or question that a run announced. */
export interface StatusRow {
  /** Unique per kind, agent and run. */
  key: string;
  kind: 'status' | 'progress' | 'ask';
  seq: number;
  ts: number;
  text: string;
  agent_id?: string;
  run_id?: string;
  /** Server time; absent if the status stays until it is replaced. */
  expires_at?: number;
  percent?: number;
  /** Seconds left, as estimated by the run. */
  eta_s?: number;
  /** The id of the decision that was created for a question. */
  decision_id?: string;
}

/** A message from a workflow to the user. */
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
  /** True for history: sent before this page connected. */
  replay: boolean;
}

const limitNotices = 200;
const limitStatus = 100;
const limitLog = 200;
// How long progress is shown without an update, in ms.
const progressFor = 10 * 60_000;
// How long a finished run stays visible, in ms.
const finishedFor = 6000;
const levels = ['info', 'success', 'warning', 'error'] as const;

/** The announcements from workflows: messages, and the status, progress and question of each run. */
export class Bulletin {
  /** Cleared statuses stay, with empty text, so that an older message that arrives late does not restore them. */
  private readonly runs = new Map<string, StatusRow>();
  private readonly noticeLog = new OrderedLog<NoticeRow>(limitNotices);
  private readonly raw = new OrderedLog<UiRow>(limitLog);
  private shown: readonly StatusRow[] = [];

  take(m: UiMessage, replay: boolean): void {
    const { ignored, seq = 0, kind = m.payload.name.replace(/^abstract\./, '') } = m.payload;
    this.raw.add({ id: m.id, seq, ts: m.ts, ui: m.payload });
    if (ignored) return;
    if (kind === 'status' || kind === 'progress' || kind === 'ask') this.status(m, kind);
    if (kind === 'message') this.message(m, replay);
  }

  /** Returns the raw events, including those that are not displayed. */
  log(): readonly UiRow[] {
    return this.raw.all();
  }

  /** Returns the statuses that have not expired, newest last; the same array while nothing changes. */
  current(now: number): readonly StatusRow[] {
    const fresh = [...this.runs.values()].filter((row) => row.text !== '' && isActive(row, now)).sort((a, b) => a.seq - b.seq);
    return (this.shown = same(fresh, this.shown) ? this.shown : fresh);
  }

  notices(): readonly NoticeRow[] {
    return this.noticeLog.all();
  }

  clear(): void {
    this.runs.clear();
    this.noticeLog.clear();
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
    this.noticeLog.add({
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

/**
 * Returns the text of an announcement. Progress and questions without text get a default text; for a status without
 * text, the result is undefined.
 */
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

/** Reports whether a status has not expired. */
export function isActive(row: StatusRow, now: number): boolean {
  return row.expires_at === undefined || row.expires_at > now;
}

function origin({ agent_id, run_id }: Ui): { agent_id?: string; run_id?: string } {
  return { ...(agent_id !== undefined && { agent_id }), ...(run_id !== undefined && { run_id }) };
}

// Returns the expiry time of an announcement: expires_at, or the end of the duration, in seconds, that older servers
// send.
function expiry({ expires_at: end, duration }: Normalized, ts: number): number | undefined {
  if (typeof end === 'number') return end;
  return typeof duration === 'number' && duration > 0 ? ts + duration * 1000 : undefined;
}
