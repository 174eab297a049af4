import { LIMIT_DIFF_LINE, LIMIT_DIFF_WORDS } from '../../contracts/limits.gen.ts';
import { shortestEdit } from './edit.ts';

/** A range within a line, in UTF-16 units. */
export type Mark = readonly [from: number, to: number];

const TOKENS = /[\p{L}\p{N}\p{M}_]+|\p{White_Space}+|[^\p{L}\p{N}\p{M}_\p{White_Space}]/gu;
const NONE: readonly [readonly Mark[], readonly Mark[]] = [[], []];

/**
 * Splits a line into words, runs of whitespace and single symbols. Returns an empty list if the line is too long to
 * compare.
 */
export function wordsOf(text: string): readonly string[] {
  return text.length > 2 * LIMIT_DIFF_LINE || length(text) > LIMIT_DIFF_LINE ? [] : (text.match(TOKENS) ?? []);
}

export const isBlank = (word: string): boolean => /^\p{White_Space}/u.test(word);

/** Counts code points, as the Go code does. */
const length = (text: string): number => [...text].length;
/** Counts the code points of all words, leaving out whitespace. */
const countLetters = (words: readonly string[]): number => words.reduce((sum, w) => (isBlank(w) ? sum : sum + length(w)), 0);

/**
 * Returns the ranges that differ between a line and its replacement, for both lines, or no ranges if the lines share
 * less than a third of their letters. hud/work/diff_words.go has the same rules; contracts/vectors/diff.jsonl tests
 * both.
 */
export function wordMarks(before: string, after: string): readonly [readonly Mark[], readonly Mark[]] {
  const [a, b] = [wordsOf(before), wordsOf(after)];
  const kept: readonly [boolean[], boolean[]] = [[], []];
  for (const step of shortestEdit(a, b, LIMIT_DIFF_WORDS) ?? []) {
    if (!step.startsWith('+')) kept[0].push(step.startsWith(' '));
    if (!step.startsWith('-')) kept[1].push(step.startsWith(' '));
  }
  const shared = countLetters(a.filter((_, i) => kept[0][i]));
  if (shared === 0 || shared * 3 < Math.max(countLetters(a), countLetters(b))) return NONE;
  return [marksOf(a, kept[0]), marksOf(b, kept[1])];
}

/** Returns the runs of words that were not kept, including the whitespace between two such words. */
function marksOf(words: readonly string[], kept: readonly boolean[]): readonly Mark[] {
  const marks: [number, number][] = [];
  let at = 0;
  words.forEach((word, i) => {
    const isGap = isBlank(word) && kept[i - 1] === false && kept[i + 1] === false;
    const last = marks.at(-1);
    if (!kept[i] || isGap) {
      if (last?.[1] === at) last[1] += word.length;
      else marks.push([at, at + word.length]);
    }
    at += word.length;
  });
  return marks;
}
