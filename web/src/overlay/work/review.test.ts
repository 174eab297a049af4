import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { colours } from './highlight.ts';
import { languageOf } from './language.ts';
import { instructions, isGenerated, type Comment } from './review.ts';

interface Vectors {
  instructions: { words: string; comments: (Omit<Comment, 'removed'> & { removed?: boolean })[]; want: string }[];
  generated: Record<string, boolean>;
}

// The terminal client is tested with the same file.
const vectors = JSON.parse(readFileSync(join(process.cwd(), '..', 'contracts', 'vectors', 'review.json'), 'utf8')) as Vectors;

describe('a review', () => {
  it('sends words and comments in a fixed form', () => {
    for (const { words, comments, want } of vectors.instructions) {
      expect(instructions(words, comments.map((c) => ({ removed: false, ...c })))).toBe(want);
    }
  });

  it.each(Object.entries(vectors.generated))('%s is generated: %s', (path, want) => {
    expect(isGenerated(path)).toBe(want);
  });
});

describe('highlighted code', () => {
  const words = (code: string, path: string) =>
    colours(code, languageOf(path)).flatMap((runs, i) => runs.map(([from, to, name]) => `${name.slice(5)} ${code.split('\n')[i]!.slice(from, to)}`));

  it.each<[string, string, string[]]>([
    ['a.go', 'func add(a int) { return "x" + `y` } // sum', ['word func', 'name add', 'word int', 'word return', 'text "x"', 'text `y`', 'comment // sum']],
    ['a.tsx', "const n = 0x1f; // don't\nit's(n)", ['word const', 'number 0x1f', "comment // don't", 'name s']],
    ['a.rs', "fn first<'a>(s: &'a str) {}", ['word fn', 'word str']],
    ['a.py', 'def f():\n  """one\n  two"""\n  return None', ['word def', 'name f', 'text """one', 'text   two"""', 'word return', 'word None']],
    ['a.json', '{"url": "http://x", "n": 1.5, "ok": true}', ['name "url"', 'text "http://x"', 'name "n"', 'number 1.5', 'name "ok"', 'word true']],
    ['a.yaml', '# top\nname: "x" # why\n  - run: go test', ['comment # top', 'name name', 'text "x"', 'comment # why', 'name   - run']],
    ['a.sql', "select * FROM t -- all", ['word select', 'word FROM', 'comment -- all']],
    ['Makefile', 'build: # all\n\tcd web', ['comment # all', 'word cd']],
    ['a.unknown', 'func', []],
  ])('%s', (path, code, want) => {
    expect(words(code, path)).toEqual(want);
  });

  it('has a list for each line, even if a comment spans lines', () => {
    const code = 'a /* b\n\nc */ d\n';
    expect(colours(code, 'go')).toEqual([[[2, 6, 'code-comment']], [], [[0, 4, 'code-comment']], []]);
  });

  // A pattern that reads its text repeatedly would take hours.
  it.each(['-', 'a-', "'\\'", '{"', "'a"])('%j repeated is read once in all languages', (part) => {
    const code = part.repeat(Math.floor((64 * 1024) / part.length));
    for (const end of ['go', 'ts', 'py', 'rs', 'c', 'rb', 'sh', 'sql', 'css', 'html', 'json', 'yaml', 'md']) expect(colours(code, languageOf(`x.${end}`))).toHaveLength(1);
  });
});
