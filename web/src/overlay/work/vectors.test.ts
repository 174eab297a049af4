import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aligned } from './align.ts';
import { screenOf } from './ansi.ts';
import type { Content } from './content.ts';
import { pairHunk } from './diff.ts';
import { hunkLines } from './rows.ts';
import { drawnArgs, workOf } from './rule.ts';

// The terminal client is tested with the same files.
const read = <T>(name: string): T[] => readFileSync(join(process.cwd(), '..', 'contracts', 'vectors', name), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as T);

interface Case {
  name: string;
  tool: string;
  args: unknown;
  result?: Record<string, unknown>;
  want: Content & { cut?: true; error?: string };
}

describe('view of a tool call', () => {
  it.each(read<Case>('work.jsonl').map((c) => [c.name, c] as const))('%s', (_, { tool, args, result, want }) => {
    const { content, ...more } = workOf(tool, args, result);
    expect({ ...content, ...more }).toEqual(want);
  });
});

// In a permission request every argument is either displayed or listed; hud/work has the same test.
it.each([
  ['exec', { command: 'ls', timeout: 5, description: 'List' }, ['timeout', 'description']],
  ['exec', { command: 'ls', truncated: false, bytes: 'hidden' }, ['truncated', 'bytes']],
  ['exec', { command: 'ls', truncated: true, bytes: 9 }, []],
  ['edit', { path: 'a', old_string: 'x', new_string: 'y', replace_all: true, operation: 'edit' }, []],
  ['edit', { path: 'a', old_string: 'x', new_string: 'y', content: 'hidden', operation: 'delete' }, ['content', 'operation']],
  ['edit', { path: 'a', old_string: 'x', new_string: 'y', oldText: 'hidden', newText: 'hidden' }, ['oldText', 'newText']],
  ['edit', { path: 'a', edits: [{ old_string: 'x', new_string: 'y' }], new_string: 'hidden' }, ['new_string']],
  ['edit', { path: 'a', edits: [{ old_string: 'x', new_string: 'y', path: 'hidden' }] }, ['edits']],
  ['edit', { path: 'a', insert_line: 3, insert_text: 'x', new_source: 'hidden' }, ['new_source']],
  ['edit', { path: ['a'], replace_all: 'rm', old_string: 'x', new_string: '' }, ['path', 'replace_all']],
  ['write', { path: 'a', content: 'x', mode: '0777', edits: [{ new_string: 'hidden' }] }, ['mode', 'edits']],
  ['mcp__x__y', { q: 1 }, []],
])('%s %j leaves %j to be listed', (tool, args, rest) => {
  const drawn = drawnArgs(tool, args);
  expect(Object.keys(args).filter((name) => !drawn.includes(name))).toEqual(rest);
});

describe('terminal output', () => {
  it.each(read<{ name: string; raw: string; text: string; styles: string }>('ansi.jsonl').map((c) => [c.name, c] as const))('%s', (_, { raw, text, styles }) => {
    const shown = screenOf(raw);
    expect(shown.text).toBe(text);
    expect(shown.spans.map(([line, from, to, sgr]) => `${line}:${from}-${to}=${sgr}`).join(' ')).toBe(styles);
  });
});

interface DiffCase {
  name: string;
  before: string;
  after: string;
  lines: (string | [number, number])[][];
  pairs: [number, number][];
}

describe('aligned lines and words of a diff', () => {
  it.each(read<DiffCase>('diff.jsonl').map((c) => [c.name, c] as const))('%s', (_, { before, after, lines, pairs }) => {
    const got = hunkLines(pairHunk(before, after));
    const chars = (text: string, units: number) => [...text.slice(0, units)].length;
    expect(got.map((l) => [l.sign + l.text, ...l.marks.map((mark) => mark.map((at) => chars(l.text, at)))])).toEqual(lines);
    const found: number[][] = [];
    for (let i = 0; i < got.length; i++) {
      const removed = run(got, i, '-');
      const added = run(got, i + removed.length, '+');
      for (const [left, right] of aligned(removed, added)) if (left && right) found.push([got.indexOf(left), got.indexOf(right)]);
      i += Math.max(removed.length + added.length - 1, 0);
    }
    expect(found).toEqual(pairs);
  });
});

/** Returns the consecutive lines with `sign`, starting at `from`. */
function run<T extends { sign: string }>(lines: readonly T[], from: number, sign: string): T[] {
  const end = lines.findIndex((l, i) => i >= from && l.sign !== sign);
  return lines.slice(from, end < 0 ? lines.length : end);
}
