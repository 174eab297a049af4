import { cleanup } from '@testing-library/preact';
import { afterEach, describe, expect, it } from 'vitest';
import { bench, draw } from '../testing.tsx';
import { aligned } from './align.ts';
import { isTerminal, screenOf } from './ansi.ts';
import { diffLines, pairHunk, parseUnified, textLines } from './diff.ts';
import { colours } from './highlight.ts';
import { changeStarts, diffRows, diffText, linesOf } from './rows.ts';
import { workOf } from './rule.ts';
import { isSgr } from './styles.ts';
import { pieces } from './visible.ts';
import { wordMarks } from './words.ts';
import { Work } from './work.tsx';

afterEach(cleanup);

/** Returns a random number generator that repeats the same numbers on every run. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) >>> 0;
    return (state ^ (state >>> 13)) % below;
  };
}

const PARTS = ['a', 'word ', '\n', '\r', '\b', '\t', '<b>', '</script>', '&amp;', '\x1b[', '31m', '0;1m', '38;5;9m', '\x1b[0m', '\x1b[K', '\x1b[2J', '\x1b[3A', '\x1b[9C', '\x1b]0;t\x07', '\x9b1m', '\u202e', '\u200b', '🙂', 'é', '@@ -1 +1 @@\n', '--- a\n', '+++ b\n', '+', '-', ' ', '"', "'", '{', '\\', '\0', '[redacted]'];
const text = (roll: (n: number) => number, parts: readonly string[] = PARTS) => Array.from({ length: roll(40) }, () => parts[roll(parts.length)]).join('');
const rounds = Array.from({ length: 300 }, (_, i) => dice(i + 1));

describe('arbitrary input', () => {
  it('terminal output loses its control codes and nothing else', () => {
    for (const roll of rounds) {
      const raw = text(roll);
      const { text: shown, spans } = screenOf(raw);
      expect(shown).not.toMatch(/[\0-\x08\x0B-\x1F\x7F-\x9F]/);
      const lines = shown.split('\n');
      for (const [line, from, to, sgr] of spans) {
        expect(from < to && to <= [...lines[line]!].length && isSgr(sgr)).toBe(true);
      }
      const colourOnly = text(roll, ['a', 'b ', '\n', '\t', '<b>', '🙂', '\x1b[31m', '\x1b[1;4m', '\x1b[0m', '\x1b]8;;x\x07']);
      expect(screenOf(colourOnly).text).toBe(colourOnly.replaceAll(/\x1b\[[\d;]*m|\x1b\]8;;x\x07/g, ''));
    }
  });

  it('a diff of two texts contains both of them', () => {
    for (const roll of rounds) {
      const [before, after] = [text(roll, ['a\n', 'b\n', 'c\n', '\n', 'd']), text(roll, ['a\n', 'b\n', 'x\n', '\n', 'd'])];
      const lines = diffLines(textLines(before), textLines(after));
      const side = (other: string) => lines.filter((l) => !l.startsWith(other)).map((l) => l.slice(1));
      expect(side('+')).toEqual(textLines(before));
      expect(side('-')).toEqual(textLines(after));
      const hunk = pairHunk(before, after);
      const files = parseUnified(diffText([{ path: 'x', change: 'edit', hunks: [{ ...hunk, old: 1, new: 1 }], added: 0, removed: 0 }]), 'x', 'edit');
      expect(files.flatMap((f) => f.hunks.flatMap((h) => h.lines))).toEqual(hunk.lines);
    }
  });

  it('alignment keeps every line, in order', () => {
    for (const roll of rounds) {
      const [gone, came] = [text(roll), text(roll)].map((t) => t.split(' ').map((line) => ({ text: line })));
      const rows = aligned(gone!, came!);
      expect(rows.map(([a]) => a).filter((l) => l !== null)).toEqual(gone);
      expect(rows.map(([, b]) => b).filter((l) => l !== null)).toEqual(came);
    }
  });

  it('marks lie inside their lines', () => {
    for (const roll of rounds) {
      const [a, b] = [text(roll), text(roll)];
      const [left, right] = wordMarks(a, b);
      for (const [marks, line] of [[left, a], [right, b]] as const) {
        let last = -1;
        for (const [from, to] of marks) {
          expect(from > last && to > from && to <= line.length).toBe(true);
          last = to;
        }
      }
    }
  });

  it('pieces contain every character, none of them invisible', () => {
    for (const roll of rounds) {
      const raw = text(roll);
      const back = pieces(raw).map((p) => (typeof p === 'string' ? p : 'redacted' in p ? '[redacted]' : String.fromCodePoint(parseInt(p.code.slice(2), 16))));
      expect(back.join('')).toBe(raw);
      for (const piece of pieces(raw)) if (typeof piece === 'string') expect(piece).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200B\x1b]/);
    }
  });

  it('patches, colours and rules never throw', () => {
    for (const roll of rounds) {
      const raw = text(roll);
      const files = parseUnified(raw, 'x.ts', 'edit');
      for (const split of [false, true]) changeStarts(diffRows(files, new Set(), split));
      files.flatMap((f) => f.hunks).forEach(linesOf);
      expect(colours(raw, 'typescript').length).toBe(raw.split('\n').length);
      isTerminal(raw);
      const any: unknown[] = [raw, 7, null, [raw], { path: raw }, true];
      const args = { path: any[roll(6)], old_string: any[roll(6)], new_string: any[roll(6)], edits: any[roll(6)], content: any[roll(6)], command: any[roll(6)], offset: any[roll(6)] };
      const result = { diff: any[roll(6)], stdout: any[roll(6)], stdoutStyles: raw, exitCode: any[roll(6)], text: any[roll(6)], area: any[roll(6)], file: any[roll(6)], raw: any[roll(6)], error: any[roll(6)] };
      for (const tool of ['edit', 'write', 'append', 'exec', 'read', 'x', undefined]) {
        workOf(tool, args);
        workOf(tool, any[roll(6)], result);
      }
    }
  });

  it('the page gets text, never markup', () => {
    for (const roll of rounds.slice(0, 25)) {
      const raw = `${text(roll)}<img src=x onerror=alert(1)><style>*{}</style>${text(roll)}`;
      for (const work of [workOf('exec', { command: raw }, { stdout: raw, exitCode: 0 }), workOf('edit', { path: raw, old_string: raw, new_string: `${raw}x` }), workOf('read', { path: 'a.html' }, { text: raw }), workOf('x', {}, { raw })]) {
        const { container } = draw(bench(), <Work work={work} />);
        expect(container.querySelector('img, style, script, a[href]')).toBeNull();
        expect(container.textContent).toContain('<img src=x onerror=alert(1)>');
        cleanup();
      }
    }
  });
});
