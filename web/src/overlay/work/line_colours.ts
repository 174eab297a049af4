import type { Hunk } from './content.ts';
import { colours, type Run } from './highlight.ts';
import { languageOf } from './language.ts';
import { linesOf, type HunkOf, type Line } from './rows.ts';

/** The highlighting of each line of a hunk. */
export type LineColours = ReadonlyMap<Line, readonly Run[]>;

const made = new WeakMap<Hunk, LineColours>();

/** Returns the highlighting of a hunk; each side is highlighted as a whole. It is computed once, on first use. */
export function lineColours({ file, hunk }: HunkOf): LineColours {
  const known = made.get(hunk);
  if (known) return known;
  const found = new Map<Line, readonly Run[]>();
  const language = languageOf(file.path);
  for (const other of ['+', '-']) {
    const side = linesOf(hunk).filter((line) => line.sign !== other);
    const runs = colours(side.map((line) => line.text).join('\n'), language);
    side.forEach((line, i) => found.set(line, runs[i] ?? []));
  }
  made.set(hunk, found);
  return found;
}
