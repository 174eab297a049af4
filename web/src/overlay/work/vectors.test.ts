import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { screenOf } from './ansi.ts';
import type { Content } from './content.ts';
import { workOf } from './rule.ts';

// The terminal client is held to the same files.
const read = <T>(name: string): T[] => readFileSync(join(process.cwd(), '..', 'contracts', 'vectors', name), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as T);

interface Case {
  name: string;
  tool: string;
  args: unknown;
  result?: Record<string, unknown>;
  want: Content & { cut?: true; error?: string };
}

describe('which view shows a tool call', () => {
  it.each(read<Case>('work.jsonl').map((c) => [c.name, c] as const))('%s', (_, { tool, args, result, want }) => {
    const { content, ...more } = workOf(tool, args, result);
    expect({ ...content, ...more }).toEqual(want);
  });
});

describe('what a terminal shows', () => {
  it.each(read<{ name: string; raw: string; text: string; styles: string }>('ansi.jsonl').map((c) => [c.name, c] as const))('%s', (_, { raw, text, styles }) => {
    const shown = screenOf(raw);
    expect(shown.text).toBe(text);
    expect(shown.spans.map(([line, from, to, sgr]) => `${line}:${from}-${to}=${sgr}`).join(' ')).toBe(styles);
  });
});
