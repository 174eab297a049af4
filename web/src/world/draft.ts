import type { Agent, Artifact, Decision, Decor, OfficeUsage, Player, Project, Repo, Room, Source, Task } from '../contracts/protocol.gen.ts';

/** All rows of the office's state; each list is in order of creation. */
export interface Rows {
  readonly agents: readonly Agent[];
  readonly projects: readonly Project[];
  readonly tasks: readonly Task[];
  readonly artifacts: readonly Artifact[];
  readonly decisions: readonly Decision[];
  readonly decor: readonly Decor[];
  /** The open rooms next to the house. */
  readonly rooms: readonly Room[];
  /** The repositories that the office works in. */
  readonly repos: readonly Repo[];
  readonly players: readonly Player[];
  /** Descriptions of the agents' sources and runners. */
  readonly sources: readonly Source[];
  /** The office's usage; null before the first report. */
  readonly usage: OfficeUsage | null;
}

export type Table = Exclude<keyof Rows, 'usage'>;
export type RowOf<T extends Table> = Rows[T][number];

export const noRows: Rows = { agents: [], projects: [], tasks: [], artifacts: [], decisions: [], decor: [], rooms: [], repos: [], players: [], sources: [], usage: null };

const keys: Record<Table, string> = {
  agents: 'agent_id',
  projects: 'project_id',
  tasks: 'task_id',
  artifacts: 'artifact_id',
  decisions: 'decision_id',
  decor: 'decor_id',
  rooms: 'room_id',
  repos: 'name',
  players: 'player_id',
  sources: 'source',
};

export const tables = Object.keys(keys) as Table[];

/** Returns the id of a row. Each table keeps it in a different member. */
export function idOf<T extends Table>(table: T, row: RowOf<T>): string {
  return (row as unknown as Record<string, string>)[keys[table]]!;
}

/**
 * A set of rows being changed. Unchanged rows and lists keep their identity, so that readers
 * can compare them by reference.
 */
export class Draft {
  constructor(public rows: Rows) {}

  find<T extends Table>(table: T, id: string | undefined): RowOf<T> | undefined {
    if (!id) return undefined;
    const list: readonly RowOf<T>[] = this.rows[table];
    return list.find((row) => idOf(table, row) === id);
  }

  /** Adds a row, or replaces the row with the same id. */
  put<T extends Table>(table: T, row: RowOf<T>): void {
    const list: readonly RowOf<T>[] = this.rows[table];
    const at = list.findIndex((old) => idOf(table, old) === idOf(table, row));
    if (at < 0) return this.set(table, [...list, row]);
    if (same(list[at], row)) return;
    this.set(table, list.with(at, row));
  }

  /** Changes members of a row, if the row exists; zero values are removed, because messages omit them too. */
  patch<T extends Table>(table: T, id: string | undefined, change: Partial<RowOf<T>>): void {
    const row = this.find(table, id);
    if (!row) return;
    const next: Record<string, unknown> = { ...row };
    for (const [member, value] of Object.entries(change)) {
      if (value) next[member] = value;
      else delete next[member];
    }
    this.put(table, next as unknown as RowOf<T>);
  }

  keep<T extends Table>(table: T, wanted: (row: RowOf<T>) => boolean): void {
    const list: readonly RowOf<T>[] = this.rows[table];
    const kept = list.filter(wanted);
    if (kept.length !== list.length) this.set(table, kept);
  }

  /** Replaces a whole list; rows that are equal keep their identity. */
  replace<T extends Table>(table: T, fresh: readonly RowOf<T>[]): void {
    const list: readonly RowOf<T>[] = this.rows[table];
    const before = new Map(list.map((row) => [idOf(table, row), row]));
    const merged = fresh.map((row) => {
      const old = before.get(idOf(table, row));
      return old && same(old, row) ? old : row;
    });
    if (merged.length === list.length && merged.every((row, i) => row === list[i])) return;
    this.set(table, merged);
  }

  setUsage(usage: OfficeUsage | null): void {
    if (!same(usage, this.rows.usage)) this.rows = { ...this.rows, usage };
  }

  private set<T extends Table>(table: T, list: readonly RowOf<T>[]): void {
    this.rows = { ...this.rows, [table]: list };
  }
}

/** Reports whether two JSON values are equal; the order of members does not matter. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = Object.entries(a);
  if (left.length !== Object.keys(b).length) return false;
  return left.every(([key, value]) => Object.hasOwn(b, key) && same(value, (b as Record<string, unknown>)[key]));
}
