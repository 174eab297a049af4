import { describe, expect, it } from 'vitest';
import { fileOf, pairHunk } from './diff.ts';
import { fits, CARD_LIMITS, lineCount } from './limits.ts';
import { changeStarts, diffRows, hunkLines } from './rows.ts';
import { workOf } from './rule.ts';
import { pieces } from './visible.ts';
import { wordMarks } from './words.ts';

const marked = (before: string, after: string) => wordMarks(before, after).map((marks, i) => marks.map(([from, to]) => [before, after][i]!.slice(from, to)));

describe('word marks', () => {
  it.each<[string, string, string[], string[]]>([
    ['const total = 0;', 'let total = 0;', ['const'], ['let']],
    ['return price * count', 'return price * count + tax', [], [' + tax']],
    ['a(b, c)', 'a(b)', [', c'], []],
    ['same', 'same', [], []],
    ['nothing in common', 'xyz', [], []],
    ['größe = 1', 'größe = 2', ['1'], ['2']],
    ['x', 'x'.repeat(3000), [], []],
  ])('%s → %s', (before, after, left, right) => {
    expect(marked(before, after)).toEqual([left, right]);
  });
});

describe('rows of a diff', () => {
  const lines = Array.from({ length: 40 }, (_, i) => `line ${i}\n`);
  const hunk = { ...pairHunk(lines.join(''), [...lines.slice(0, 20), 'new\n', ...lines.slice(20, 30), ...lines.slice(31)].join('')), old: 1, new: 1 };
  const files = [fileOf('a.txt', 'edit', [hunk])];

  it('number both sides', () => {
    expect(hunkLines(hunk).find((l) => l.sign === '+')).toEqual({ sign: '+', old: null, new: 21, text: 'new', marks: [] });
    expect(hunkLines(hunk).find((l) => l.sign === '-')).toMatchObject({ old: 31, new: null });
    expect(hunkLines(hunk).at(-1)).toMatchObject({ old: 40, new: 40 });
    expect(hunkLines({ ...hunk, old: 0, new: 0 })[0]).toMatchObject({ old: null, new: null });
  });

  it('collapse long unchanged ranges until they are expanded', () => {
    const rows = diffRows(files, new Set(), false);
    const folds = rows.filter((r) => r.is === 'fold');
    expect(folds.map((f) => f.count)).toEqual([17, 4, 6]);
    expect(diffRows(files, new Set([folds[0]!.id]), false).filter((r) => r.is === 'fold')).toHaveLength(2);
    expect(changeStarts(rows)).toHaveLength(2);
  });

  it('show removed next to added lines', () => {
    const pair = fileOf('a', 'edit', [pairHunk('a\nb\nc\n', 'a\nB\nBB\nc\n')]);
    const rows = diffRows([pair], new Set(), true).map((r) => (r.is === 'pair' ? [r.left?.text ?? null, r.right?.text ?? null] : r.is));
    expect(rows).toEqual([['a', 'a'], ['b', 'B'], [null, 'BB'], ['c', 'c']]);
  });

  it('put similar lines next to each other', () => {
    const pair = fileOf('a', 'edit', [pairHunk('for (a of b) sum += a;\nreturn sum;\n', 'for (a of b) sum += a * n;\n// Round once.\nreturn round(sum);\n')]);
    const rows = diffRows([pair], new Set(), true).map((r) => (r.is === 'pair' ? [r.left?.text ?? null, r.right?.text ?? null] : r.is));
    expect(rows).toEqual([['for (a of b) sum += a;', 'for (a of b) sum += a * n;'], [null, '// Round once.'], ['return sum;', 'return round(sum);']]);
  });

  it('name files if there are several, and show where a hunk begins', () => {
    const far = fileOf('b', 'edit', [{ old: 90, new: 90, lines: ['+x'] }, { old: 0, new: 0, lines: ['+y'] }]);
    expect(diffRows([pairFile(), far], new Set(), false).map((r) => r.is)).toEqual(['file', 'line', 'line', 'file', 'jump', 'line', 'jump', 'line']);
  });

  const pairFile = () => fileOf('a', 'edit', [pairHunk('a', 'b')]);
});

it('invisible characters are named, joiners of other scripts stay', () => {
  const shown = (text: string) => pieces(text).map((p) => (typeof p === 'string' ? p : 'redacted' in p ? '#' : p.unseen)).join('');
  expect(shown('exe\u202Egpj')).toBe('exe⟨RLO⟩gpj');
  expect(shown('pay\u200Bpal \u00AD\x1b[31m')).toBe('pay⟨ZWSP⟩pal ⟨SHY⟩⟨ESC⟩[31m');
  expect(shown('a\u200Db 👩\u200D💻 \u06CC\u200C\u06A9')).toBe('a⟨ZWJ⟩b 👩\u200D💻 \u06CC\u200C\u06A9');
  expect(shown('\u{E0041}x')).toBe('⟨U+E0041⟩x');
  expect(shown('token=[redacted]!')).toBe('token=#!');
});

it('content that is displayed only in part is detected', () => {
  const fit = (tool: string, args: object) => fits(workOf(tool, args).content, CARD_LIMITS);
  expect(fit('exec', { command: 'ls\n'.repeat(1000) })).toBe(true);
  expect(fit('exec', { command: 'ls\n'.repeat(1001) })).toBe(false);
  expect(fit('exec', { command: 'x'.repeat(9000) })).toBe(false);
  expect(fit('write', { path: 'a', content: 'x\n'.repeat(1001) })).toBe(false);
  expect(fit('mcp__x', { deep: [{ text: 'x'.repeat(5000) }] })).toBe(false);
  expect(fit('mcp__x', { list: Array.from({ length: 101 }, () => 1) })).toBe(false);
  expect(lineCount(workOf('edit', { path: 'a', old_string: 'a\nb', new_string: 'c' }).content)).toBe(3);
});
