import type { Ui, UiMessage } from '../contracts/protocol.gen.ts';
import { same } from './draft.ts';
import { Shelf } from './shelf.ts';

/** What a run says that it does. */
export interface StatusRow {
  /** One for each agent and run. */
  key: string;
  seq: number;
  ts: number;
  text: string;
  agent_id?: string;
  run_id?: string;
  /** Server time; absent when it stays until it is replaced. */
  expires_at?: number;
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

const limitNotices = 50;
const limitStatus = 100;
const levels = ['info', 'success', 'warning', 'error'] as const;

/** What workflows announce: a status for each run, and messages. */
export class Bulletin {
  /** Cleared ones stay with an empty text, so that an older message that comes late does not bring them back. */
  private readonly runs = new Map<string, StatusRow>();
  private readonly shelf = new Shelf<NoticeRow>(limitNotices);
  private shown: readonly StatusRow[] = [];

  take(m: UiMessage, replay: boolean): void {
    const { ignored, kind = m.payload.name.replace(/^abstract\./, '') } = m.payload;
    if (ignored) return;
    if (kind === 'status') this.status(m);
    if (kind === 'message') this.message(m, replay);
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
  }

  private status(m: UiMessage): void {
    const { seq = 0, normalized = {} } = m.payload;
    const { text } = normalized;
    if (typeof text !== 'string') return;
    const who = origin(m.payload);
    const key = JSON.stringify([who.agent_id ?? '', who.run_id ?? '']);
    if ((this.runs.get(key)?.seq ?? -1) >= seq) return;
    const end = expiry(normalized, m.ts);
    this.runs.delete(key);
    this.runs.set(key, { key, seq, ts: m.ts, text: text.trim(), ...who, ...(end !== undefined && { expires_at: end }) });
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

/** Whether a status is still true. */
export function holds(row: StatusRow, now: number): boolean {
  return row.expires_at === undefined || row.expires_at > now;
}

function origin({ agent_id, run_id }: Ui): { agent_id?: string; run_id?: string } {
  return { ...(agent_id !== undefined && { agent_id }), ...(run_id !== undefined && { run_id }) };
}

// The server says when it ends; an older one says only how many seconds it lasts.
function expiry({ expires_at: end, duration }: NonNullable<Ui['normalized']>, ts: number): number | undefined {
  if (typeof end === 'number') return end;
  return typeof duration === 'number' && duration > 0 ? ts + duration * 1000 : undefined;
}
