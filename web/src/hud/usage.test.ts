import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Usage, UsageTotal } from '../contracts/protocol.gen.ts';
import { costShort, costWords, dollars, tokens, turnWords, unpricedWords } from './usage.ts';

interface Vectors {
  tokens: [number, string][];
  dollars: [number, string][];
  totals: { total: Partial<UsageTotal>; cost: string; short: string; unpriced: string }[];
  turns: { usage: Usage; want: string }[];
}

// model/cost_test.go runs the same file against the terminal.
const vectors = JSON.parse(readFileSync('../contracts/vectors/usage.json', 'utf8')) as Vectors;

describe('usage', () => {
  it.each(vectors.tokens)('%d tokens: %s', (n, want) => expect(tokens(n)).toBe(want));

  it.each(vectors.dollars)('%d dollars: %s', (usd, want) => expect(dollars(usd)).toBe(want));

  it.each(vectors.totals)('a total: $cost', ({ total, cost, short, unpriced }) => {
    const of: UsageTotal = { tokens_in: 0, tokens_out: 0, cost_usd: 0, priced: 0, unpriced: 0, ...total };
    expect([costWords(of), costShort(of), unpricedWords(of)]).toEqual([cost, short, unpriced]);
  });

  it.each(vectors.turns)('a turn: $want', ({ usage, want }) => expect(turnWords(usage)).toBe(want));
});
