/** A stretch of a line, in UTF-16 units. */
export type Mark = readonly [from: number, to: number];

const TOKENS = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;
/** Longer lines are not compared word by word. */
const MAX_CHARS = 2000;
const MAX_TOKENS = 240;
/** Marks that cover more than this share of a line say nothing. */
const MOST = 0.7;

/** The words that differ between a line and the one that takes its place. */
export function wordMarks(before: string, after: string): readonly [readonly Mark[], readonly Mark[]] {
  if (before.length > MAX_CHARS || after.length > MAX_CHARS) return [[], []];
  const a = before.match(TOKENS) ?? [];
  const b = after.match(TOKENS) ?? [];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const kept = common(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const left = marksOf(a, start, end, kept[0]);
  const right = marksOf(b, start, end, kept[1]);
  const covers = (marks: readonly Mark[], line: string) => marks.reduce((sum, [from, to]) => sum + to - from, 0) > line.trim().length * MOST;
  return covers(left, before) || covers(right, after) ? [[], []] : [left, right];
}

/** Which tokens of two lists belong to their longest common subsequence. */
function common(a: readonly string[], b: readonly string[]): [boolean[], boolean[]] {
  const kept: [boolean[], boolean[]] = [a.map(() => false), b.map(() => false)];
  if (a.length > MAX_TOKENS || b.length > MAX_TOKENS) return kept;
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j;
      longest[at] = a[i] === b[j] ? longest[at + width + 1]! + 1 : Math.max(longest[at + width]!, longest[at + 1]!);
    }
  }
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const at = i * width + j;
    if (a[i] === b[j]) kept[0][i++] = kept[1][j++] = true;
    else if (longest[at + width]! >= longest[at + 1]!) i++;
    else j++;
  }
  return kept;
}

function marksOf(tokens: readonly string[], start: number, end: number, kept: readonly boolean[]): readonly Mark[] {
  const marks: [number, number][] = [];
  let at = 0;
  tokens.forEach((token, i) => {
    const changed = i >= start && i < tokens.length - end && !kept[i - start];
    const last = marks.at(-1);
    if (changed && last?.[1] === at) last[1] += token.length;
    else if (changed) marks.push([at, at + token.length]);
    at += token.length;
  });
  return marks;
}
