import { describe, expect, it } from 'vitest';
import { layout, maxBubbles, urgent, type Layout, type Tag } from './labels_layout.ts';

interface Box { x: number; y: number; width: number; height: number }
const boxes = (l: Layout): Box[] => [...l.placed, ...l.crowded];
const overlap = (a: Box, b: Box) => Math.abs(a.x - b.x) < (a.width + b.width) / 2 && a.y - a.height < b.y && b.y - b.height < a.y;

function overlaps(l: Layout): number {
  const all = boxes(l);
  let n = 0;
  for (let i = 0; i < all.length; i++) for (let j = 0; j < i; j++) if (overlap(all[i]!, all[j]!)) n++;
  return n;
}

/** Returns n tags at pseudo-random positions, the same on every run. */
function crowd(n: number, width: number, height: number): Tag[] {
  let s = 7;
  const r = () => (s = (s * 16807) % 2147483647) / 2147483647;
  return Array.from({ length: n }, (_, i) => ({
    id: `agent_${i}`, x: r() * width, y: r() * height, rank: [10, 20, 30, 80][i % 4]!, pillWidth: 60 + r() * 60, bubble: i % 5 === 0 ? { width: 150, height: 36 } : null,
  }));
}
const view = { width: 1280, height: 720, labels: 'auto', cards: [] } as const;

describe('labels', () => {
  for (const n of [10, 50, 200, 1000]) {
    it(`of ${n} agents never overlap`, () => {
      expect(overlaps(layout(crowd(n, 1280, 720), view))).toBe(0);
      expect(overlaps(layout(crowd(n, 300, 200), { width: 390, height: 700, labels: 'all', cards: [] }))).toBe(0);
    });
  }

  it('avoid the cards over the room; the label of an agent that is behind a card and needs you is next to the card', () => {
    const card = { left: 16, top: 74, right: 316, bottom: 160 };
    const tags = [...crowd(60, 400, 300), { id: 'agent_asks', x: 290, y: 120, rank: urgent, pillWidth: 90, bubble: { width: 150, height: 36 } }];
    const all = boxes(layout(tags, { ...view, cards: [card] }));
    for (const b of all) expect(overlap(b, { x: 166, y: 160, width: 300, height: 86 })).toBe(false);
    expect(all.some((b) => 'id' in b && b.id === 'agent_asks')).toBe(true);
  });

  it('count everyone once: alone, or in a badge', () => {
    const l = layout(crowd(200, 1200, 700), view);
    const counted = l.crowded.reduce((n, c) => n + c.count, 0);
    expect(l.placed.length + counted).toBeLessThanOrEqual(200);
    expect(l.placed.length + counted).toBeGreaterThan(190);
    expect(new Set(l.placed.map(p => p.id)).size).toBe(l.placed.length);
  });

  it('show at most three bubbles, the most important ones', () => {
    const tags = crowd(12, 1280, 720).map((t, i) => ({ ...t, rank: i, bubble: { width: 120, height: 30 } }));
    const l = layout(tags, view);
    const talking = l.placed.filter(p => p.mode === 'bubble').map(p => p.id);
    expect(talking).toHaveLength(maxBubbles);
    expect(talking).toContain('agent_11');
  });

  it('never put an agent that needs you into a badge', () => {
    const tags: Tag[] = Array.from({ length: 30 }, (_, i) => ({ id: `a${i}`, x: 400 + i, y: 300, rank: i === 4 ? 80 : 10, pillWidth: 80, bubble: null }));
    const l = layout(tags, view);
    expect(l.placed.find(p => p.id === 'a4')?.mode).toBe('pill');
    expect(l.crowded.reduce((n, c) => n + c.count, 0)).toBe(29);
  });

  it('do not depend on the order of people', () => {
    const tags = crowd(80, 1280, 720);
    expect(layout(tags.toReversed(), view)).toEqual(layout(tags, view));
  });

  it('stay inside the picture', () => {
    for (const b of boxes(layout(crowd(60, 1280, 720), view))) {
      expect(b.x - b.width / 2).toBeGreaterThan(-40);
      expect(b.x + b.width / 2).toBeLessThan(1320);
    }
  });

  it('have no bubbles on a phone', () => {
    const ada: Tag = { id: 'agent_ada', x: 200, y: 200, rank: 80, pillWidth: 80, bubble: { width: 150, height: 36 } };
    const speak = (width: number) => layout([ada], { width, height: 300, labels: 'auto', cards: [] }).placed.some((p) => p.mode === 'bubble');
    expect([speak(1280), speak(390)]).toEqual([true, false]);
  });
});
