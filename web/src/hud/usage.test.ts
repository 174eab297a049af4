import { describe, expect, test } from 'vitest';
import type { UsageTotal } from '../contracts/protocol.gen.ts';
import { costShort, costWords, dollars, tokens, turnWords, unpricedWords } from './usage.ts';

const total = (more: Partial<UsageTotal>): UsageTotal => ({ tokens_in: 0, tokens_out: 0, cost_usd: 0, priced: 0, unpriced: 0, ...more });

describe('usage', () => {
  test('token counts are short', () => {
    expect([0, 940, 1000, 12_345, 182_400, 999_960, 4_130_000].map(tokens)).toEqual(['0', '940', '1k', '12.3k', '182k', '1M', '4.1M']);
  });

  test('a small amount is not shown as zero', () => {
    expect([0, 0.00001, 0.0042, 0.61, 12.345, 1234.5].map(dollars)).toEqual(['$0.00', '< $0.0001', '$0.0042', '$0.61', '$12.35', '$1235']);
  });

  test('an unknown price is shown as unknown, never as zero', () => {
    expect(costWords(total({ unpriced: 3 }))).toBe('cost unknown');
    expect(costShort(total({ unpriced: 3, tokens_in: 12_000, tokens_out: 345 }))).toBe('12.3k tokens');
    expect(costWords(total({ unpriced: 1, priced: 2, cost_usd: 1.5 }))).toBe('at least $1.50');
    expect(costShort(total({ unpriced: 1, priced: 2, cost_usd: 1.5 }))).toBe('≥ $1.50');
    expect(costWords(total({ priced: 1 }))).toBe('$0.00');
    expect(costShort(total({}))).toBe('');
    expect(unpricedWords(total({ unpriced: 1, priced: 2 }))).toBe('No price for 1 of 3 reports, so the real cost may be higher.');
    expect(turnWords({ tokens_in: 1200, tokens_out: 40 })).toBe('1.2k in · 40 out · cost unknown');
  });

  test('an estimate is never shown as an actual charge', () => {
    const guess = total({ priced: 1, cost_usd: 0.0024, estimated: 1 });
    expect([costWords(guess), costShort(guess)]).toEqual(['~$0.0024', '~$0.0024']);
    expect([costWords({ ...guess, unpriced: 1 }), costShort({ ...guess, unpriced: 1 })]).toEqual(['at least ~$0.0024', '≥ ~$0.0024']);
    expect(costShort(total({ unpriced: 1, tokens_in: 3000, estimated: 1 }))).toBe('~3k tokens');
    const listed = total({ priced: 1, cost_usd: 0.5, listed: 1 });
    expect([costWords(listed), costShort(listed)]).toEqual(['~$0.50', '~$0.50']);
    expect(turnWords({ tokens_in: 1200, tokens_out: 40, cost_usd: 0.5, listed: true })).toBe('1.2k in · 40 out · ~$0.50');
    expect(turnWords({ tokens_in: 1200, tokens_out: 40, cost_usd: 0.0024, estimated: true })).toBe('1.2k in · 40 out · ~$0.0024 · estimated');
  });
});
