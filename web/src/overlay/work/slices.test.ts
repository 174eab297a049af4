import { describe, expect, it } from 'vitest';
import { RICH_CHARS } from './limits.ts';
import { isTangled, markdownSlices } from './slices.ts';

describe('slices', () => {
  it('never tear a fence, lose a letter or draw too much', () => {
    const block = `Text ${'x'.repeat(300)}\n\n\`\`\`\n${'code\n\n'.repeat(40)}\`\`\`\n\n`;
    const text = block.repeat(2000);
    const { rich, rest } = markdownSlices(text);
    expect(rich.join('') + rest).toBe(text);
    expect(rich.join('').length).toBeLessThanOrEqual(RICH_CHARS + 8 * 1024);
    for (const slice of rich) expect((slice.match(/^```/gm) ?? []).length % 2).toBe(0);
  });

  it('know what would keep the parser busy', () => {
    expect(isTangled('****a_'.repeat(1300))).toBe(true);
    expect(isTangled(`${'****a_'.repeat(16)}\n`.repeat(80))).toBe(true);
    expect(isTangled('word '.repeat(600))).toBe(true);
    expect(isTangled('word '.repeat(300))).toBe(false);
    expect(isTangled('- **bold** and _more_\n'.repeat(90))).toBe(false);
    expect(isTangled(`${'**a** '.repeat(50)}\n\n`.repeat(20))).toBe(false);
  });

  it('cut a single endless line too', () => {
    const { rich, rest } = markdownSlices('y'.repeat(1_000_000));
    expect(Math.max(...rich.map((r) => r.length))).toBeLessThanOrEqual(8 * 1024);
    expect(rest.length).toBe(1_000_000 - rich.join('').length);
  });
});
