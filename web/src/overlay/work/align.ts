import { LIMIT_DIFF_ALIGN } from '../../contracts/limits.gen.ts';
import { isBlank, wordsOf } from './words.ts';

/** Pairs of a removed and an added line; null where a line has no counterpart. */
export type Aligned<T> = readonly (readonly [T | null, T | null])[];

/** The minimum share of common words, in thousandths, for two lines to count as similar. */
const SIMILAR = 400;

/**
 * Aligns removed lines with the most similar added lines, without changing their order. Large changes are aligned
 * by order alone. hud/work/diff_align.go follows the same rules; contracts/vectors/diff.jsonl tests both.
 */
export function aligned<T extends { text: string }>(removed: readonly T[], added: readonly T[]): Aligned<T> {
  if (removed.length * added.length > LIMIT_DIFF_ALIGN) return zipped(removed, added);
  const like = similarities(removed, added);
  const width = added.length + 1;
  const best = new Int32Array((removed.length + 1) * width);
  for (let i = removed.length - 1; i >= 0; i--) {
    for (let j = added.length - 1; j >= 0; j--) {
      const at = i * width + j;
      best[at] = Math.max(best[at + width]!, best[at + 1]!, like[i]![j]! + best[at + width + 1]!);
    }
  }
  const rows: (readonly [T | null, T | null])[] = [];
  let [fromRemoved, fromAdded] = [0, 0]; // the first lines that are not aligned yet
  for (let i = 0, j = 0; i < removed.length && j < added.length; ) {
    const at = i * width + j;
    const likeness = like[i]![j]!;
    if (likeness > 0 && best[at] === likeness + best[at + width + 1]!) {
      rows.push(...zipped(removed.slice(fromRemoved, i), added.slice(fromAdded, j)), [removed[i]!, added[j]!]);
      fromRemoved = ++i;
      fromAdded = ++j;
    } else if (best[at] === best[at + width]!) i++;
    else j++;
  }
  return [...rows, ...zipped(removed.slice(fromRemoved), added.slice(fromAdded))];
}

function zipped<T>(removed: readonly T[], added: readonly T[]): Aligned<T> {
  return Array.from({ length: Math.max(removed.length, added.length) }, (_, n) => [removed[n] ?? null, added[n] ?? null] as const);
}

/** Returns the share of common words for each pair of lines, in thousandths, or 0 if the lines are not similar. */
function similarities<T extends { text: string }>(removed: readonly T[], added: readonly T[]): readonly (readonly number[])[] {
  const vocabulary = (line: T) => new Set(wordsOf(line.text).filter((word) => !isBlank(word)));
  const right = added.map(vocabulary);
  return removed.map(vocabulary).map((left) =>
    right.map((other) => {
      const shared = [...left].filter((word) => other.has(word)).length;
      const share = Math.floor((2000 * shared) / Math.max(left.size + other.size, 1));
      return share < SIMILAR ? 0 : share;
    }),
  );
}
