import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { reasonWords } from './words.ts';

interface Case {
  why: string;
  label: string;
  authority: string;
  want: string;
}

// model/words_test.go runs the same file against the terminal.
const cases = JSON.parse(readFileSync('../contracts/vectors/reasons.json', 'utf8')) as Case[];

it.each(cases)('the reason "$why" is shown as "$want"', ({ why, label, authority, want }) => {
  expect(reasonWords(why, label, authority)).toBe(want);
});
