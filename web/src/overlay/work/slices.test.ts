import { describe, expect, it } from 'vitest';
import { RICH_CHARS } from './limits.ts';
import { isTooComplex, markdownSlices } from './slices.ts';

describe('slices', () => {
  it('never break a fence, lose a character or exceed the limit', () => {
    const block = `Text ${'x'.repeat(300)}\n\n\`\`\`\n${'code\n\n'.repeat(40)}\`\`\`\n\n`;
    const text = block.repeat(2000);
    const { rich, rest } = markdownSlices(text);
    expect(rich.join('') + rest).toBe(text);
    expect(rich.join('').length).toBeLessThanOrEqual(RICH_CHARS + 8 * 1024);
    for (const slice of rich) expect((slice.match(/^```/gm) ?? []).length % 2).toBe(0);
  });

  it('detect what would keep the parser busy', () => {
    expect(isTooComplex('****a_'.repeat(1300))).toBe(true);
    expect(isTooComplex(`${'****a_'.repeat(16)}\n`.repeat(80))).toBe(true);
    expect(isTooComplex('word '.repeat(600))).toBe(true);
    expect(isTooComplex('word '.repeat(300))).toBe(false);
    expect(isTooComplex('- **bold** and _more_\n'.repeat(90))).toBe(false);
    expect(isTooComplex(`${'**a** '.repeat(50)}\n\n`.repeat(20))).toBe(false);
  });

  it('cut even a single endless line', () => {
    const { rich, rest } = markdownSlices('y'.repeat(1_000_000));
    expect(Math.max(...rich.map((r) => r.length))).toBeLessThanOrEqual(8 * 1024);
    expect(rest.length).toBe(1_000_000 - rich.join('').length);
  });
});
