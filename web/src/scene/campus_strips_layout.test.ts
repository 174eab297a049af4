import { describe, expect, test } from 'vitest';
import { spread } from './campus_strips_layout.ts';

const box = (left: number, top: number, w = 100, h = 30) => ({ left, top, right: left + w, bottom: top + h });
const overlaps = (boxes: ReturnType<typeof box>[]) => {
  const moved = boxes.map((b, i) => ({ ...b, top: b.top + spread(boxes)[i]!, bottom: b.bottom + spread(boxes)[i]! }));
  return moved.flatMap((a, i) => moved.slice(i + 1).filter(b => a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top)).length;
};

describe('strips', () => {
  test('that do not touch stay where they are', () => {
    expect(spread([box(0, 0), box(200, 0), box(0, 60)])).toEqual([0, 0, 0]);
  });

  test('that overlap move to the nearest free place', () => {
    expect(spread([box(0, 100), box(20, 110), box(40, 90)])).toEqual([0, 24, -24]);
  });

  test('move out from behind a card if its edge is near, but not from behind a large one', () => {
    expect(spread([box(0, 100)], [box(50, 120, 300, 200)])).toEqual([-14]);
    expect(spread([box(0, 100), box(10, 105)], [box(50, -400, 300, 900)])).toEqual([0, 29]);
  });

  test('never cover each other, however many there are', () => {
    for (let n = 2; n <= 25; n++) {
      expect(overlaps(Array.from({ length: n }, (_, i) => box((i * 37) % 160, (i * 53) % 90)))).toBe(0);
      expect(overlaps(Array.from({ length: n }, () => box(10, 10)))).toBe(0);
    }
  });
});
