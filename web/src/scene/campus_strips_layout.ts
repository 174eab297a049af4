import type { Box } from '../world/focus.ts';

/** The space between strips, in CSS pixels. */
const gap = 4;
/**
 * How far a strip may move out from behind a card, in CSS pixels; if it would have to move farther, it stays behind the
 * card.
 */
const reach = 80;

/**
 * Moves boxes up or down so that none covers another or is behind a card: the first box keeps its place if it can, and
 * each other box takes the nearest free place. Returns how far each box moves down.
 */
export function spread(boxes: readonly Box[], cards: readonly Box[] = []): number[] {
  const placed: Box[] = [];
  return boxes.map(box => {
    const off = nearestFree(box, [...cards, ...placed]), by = Math.abs(off) > reach ? nearestFree(box, placed) : off;
    placed.push({ ...box, top: box.top + by, bottom: box.bottom + by });
    return by;
  });
}

/** Returns how far down a box must move to touch none of the others. */
function nearestFree(box: Box, others: readonly Box[]): number {
  const near = others.filter(p => p.left < box.right + gap && p.right + gap > box.left);
  const free = (by: number) => near.every(p => p.top >= box.bottom + by + gap - slack || p.bottom + gap - slack <= box.top + by);
  const moves = near.flatMap(p => [p.bottom + gap - box.top, p.top - gap - box.bottom]).sort((a, b) => Math.abs(a) - Math.abs(b));
  // The place below the lowest of them is always free.
  return [0, ...moves].find(free)!;
}

/** Tolerance for rounding, in CSS pixels. */
const slack = 0.01;
