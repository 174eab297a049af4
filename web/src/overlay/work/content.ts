/** The content of the viewer. rule.ts chooses the content for each tool call. */
export type Content =
  | { kind: 'diff'; files: readonly DiffFile[] }
  | Terminal
  | { kind: 'file'; path: string; start: number; area?: readonly [number, number]; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'markdown'; text: string }
  | { kind: 'json'; value: unknown; source?: string };

export type Change = 'edit' | 'write' | 'create' | 'append' | 'delete' | 'rename';

export interface DiffFile {
  path: string;
  change: Change;
  hunks: readonly Hunk[];
  added: number;
  removed: number;
  /** The name before a rename. */
  from?: string;
  binary?: true;
  /** True if every occurrence is replaced. */
  all?: true;
}

/**
 * A hunk of a diff: the numbers of its first line on both sides, 0 if not known, and lines that begin with ' ',
 * '+' or '-'.
 */
export interface Hunk {
  old: number;
  new: number;
  lines: readonly string[];
}

export interface Terminal {
  kind: 'terminal';
  command?: string;
  exit?: number;
  out: readonly Output[];
}

export interface Output {
  name: string;
  text: string;
  spans: readonly Span[];
}

/** A styled range: the line number, counted from 0, the start and end in code points, and the SGR codes. */
export type Span = readonly [line: number, from: number, to: number, sgr: string];

/** The content of a tool call, whether it is truncated, and why the call failed. */
export interface Work {
  content: Content;
  /** True if the content is truncated, because only part of it was recorded. */
  cut?: true;
  /** Why the call failed. */
  error?: string;
}

export const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
