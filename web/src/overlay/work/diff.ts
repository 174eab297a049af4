import { LIMIT_DIFF_EDITS } from '../../contracts/limits.gen.ts';
import type { Change, DiffFile, Hunk } from './content.ts';
import { shortestEdit } from './edit.ts';

/** Splits text into lines; a trailing newline does not start another line. */
export function textLines(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/** Returns a file of a diff, with its added and removed lines counted. */
export function fileOf(path: string, change: Change, hunks: readonly Hunk[]): DiffFile {
  const count = (sign: string) => hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.startsWith(sign)).length, 0);
  return { path, change, hunks, added: count('+'), removed: count('-') };
}

/** Returns the diff of two strings as one hunk, with all unchanged lines as context. */
export function pairHunk(before: string, after: string): Hunk {
  const ends = (text: string) => text === '' || text.endsWith('\n');
  const whole = ends(before) && ends(after);
  const lines = (text: string) => (whole ? textLines(text) : text === '' ? [] : text.split('\n'));
  return { old: 0, new: 0, lines: diffLines(lines(before), lines(after)) };
}

/** Returns the diff of two lists of lines, as lines with signs; in each change, removals come before additions. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly string[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const signed = (lines: readonly string[], sign: string) => lines.map((line) => sign + line);
  const mid = [before.slice(start, before.length - end), after.slice(start, after.length - end)] as const;
  const middle = shortestEdit(mid[0], mid[1], LIMIT_DIFF_EDITS) ?? [...signed(mid[0], '-'), ...signed(mid[1], '+')];
  return [...signed(before.slice(0, start), ' '), ...middle, ...signed(before.slice(before.length - end), ' ')];
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
/** The header lines of a file in a diff, each with a function that applies it to the file. */
const HEADERS: readonly (readonly [RegExp, (file: OpenFile, value: string) => void])[] = [
  [/^new file mode/, (f) => (f.change = 'create')],
  [/^deleted file mode/, (f) => (f.change = 'delete')],
  [/^rename from (.*)/, (f, name) => ((f.change = 'rename'), (f.from = unquoted(name)))],
  [/^rename to (.*)/, (f, name) => (f.path = unquoted(name))],
  [/^(?:Binary files .*|GIT binary patch)$/, (f) => (f.binary = true)],
  [/^--- ([^\t]*)/, (f, name) => (name === '/dev/null' ? (f.change = 'create') : (f.path ||= unquoted(name).replace(/^a\//, '')))],
  [/^\+\+\+ ([^\t]*)/, (f, name) => (name === '/dev/null' ? (f.change = 'delete') : (f.path = unquoted(name).replace(/^b\//, '')))],
];

const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/**
 * Returns a name without git's quotes. Git writes a name with unusual characters as a quoted C string, with octal
 * escapes for bytes outside ASCII.
 */
function unquoted(name: string): string {
  if (!/^".*"$/.test(name)) return name;
  const bytes: number[] = [];
  for (const [, octal, letter, other] of name.slice(1, -1).matchAll(/\\([0-3][0-7]{2})|\\(.)|([^\\]+)/g)) {
    if (octal) bytes.push(parseInt(octal, 8));
    else bytes.push(...new TextEncoder().encode(other ?? ESCAPES[letter!] ?? letter));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

interface OpenFile {
  path: string;
  change: Change;
  from?: string;
  binary?: true;
  hunks: { old: number; new: number; lines: string[] }[];
}

/** Parses a unified diff: the hunks of one file with a known name, or git's output for several files. */
export function parseUnified(diff: string, path: string, change: Change): DiffFile[] {
  const files: OpenFile[] = [{ path, change, hunks: [] }];
  let left = [0, 0]; // number of lines still expected on each side of the open hunk
  for (const line of textLines(diff)) {
    const file = files.at(-1)!;
    const hunk = file.hunks.at(-1);
    const head = HUNK.exec(line);
    if (head) {
      file.hunks.push({ old: Number(head[1]), new: Number(head[3]), lines: [] });
      left = [Number(head[2] ?? 1), Number(head[4] ?? 1)];
    } else if (line.startsWith('diff --git ')) {
      files.push({ path: named(line), change: 'edit', hunks: [] });
    } else if (hunk && (left[0]! > 0 || left[1]! > 0 || !/^(---|\+\+\+) /.test(line)) && /^[ +-]/.test(line)) {
      hunk.lines.push(line);
      if (!line.startsWith('+')) left[0]!--;
      if (!line.startsWith('-')) left[1]!--;
    } else if (hunk && line === '') {
      hunk.lines.push(' '); // a context line whose leading space was lost
    } else if (hunk && line.startsWith('--- ')) {
      files.push({ path: '', change: 'edit', hunks: [] });
      applyHeader(files.at(-1)!, line);
    } else {
      applyHeader(file, line);
    }
  }
  return files.filter((f, i) => i > 0 || f.hunks.length > 0 || f.binary || f.from !== undefined).map(closed);
}

/** Returns the file's new name from the first line of its diff. */
function named(line: string): string {
  return unquoted(/ ("?b\/.*)$/.exec(line)?.[1] ?? '').replace(/^b\//, '');
}

function applyHeader(file: OpenFile, line: string): void {
  for (const [pattern, does] of HEADERS) {
    const found = pattern.exec(line);
    if (found) does(file, found[1] ?? '');
  }
}

function closed({ path, change, from, binary, hunks }: OpenFile): DiffFile {
  return { ...fileOf(path, change, hunks), ...(from !== undefined && { from }), ...(binary && { binary }) };
}
