import { describe, expect, test } from 'vitest';
import type { Box } from '../world/focus.ts';
import { frameRoom, hullOf, type Shown } from './fit.ts';

const shown: Shown = { camera: { target: [0.75, 0.75, 1], distance: 42.5, azimuth: 45, elevation: 33 }, fov: 18, room: { w: 13.4, d: 10.4, h: 2.95 } };
const box = (left: number, top: number, right: number, bottom: number): Box => ({ left, top, right, bottom });

/** Returns the boxes of the client's panels: chip, dock, request field, project card and, if open, the column. */
function panels(width: number, height: number, column: number): Box[] {
  const list = [box(16, 16, 314, 62), box(width - 367, 16, width - 16, 62), box(width / 2 - 250, height - 68, width / 2 + 250, height - 16), box(16, height - 265, 268, height - 16)];
  return column > 0 ? [...list, box(width - 328, 74, width - 16, 74 + column)] : list;
}

/** Returns the outline of the framed room on the page, in CSS pixels. */
function outline(size: { width: number; height: number }, cards: readonly Box[]): [number, number][] {
  const f = frameRoom(shown, size, cards);
  return hullOf(shown, f.distance).map(([x, y]) => [size.width * (0.5 - f.aside) + x * size.height, size.height * (0.5 - f.rise) - y * size.height]);
}

const inBox = ([x, y]: [number, number], b: Box) => x > b.left && x < b.right && y > b.top && y < b.bottom;
const span = (points: [number, number][], i: 0 | 1) => [Math.min(...points.map(p => p[i])), Math.max(...points.map(p => p[i]))] as const;

describe('the room between the panels', () => {
  for (const [width, height] of [[1280, 720], [1440, 900], [1920, 1080]] as const) {
    test(`is not covered at ${width} × ${height}, with and without a column`, () => {
      for (const column of [0, 354, height - 160]) {
        const cards = panels(width, height, column);
        const points = outline({ width, height }, cards), [left, right] = span(points, 0), [top, bottom] = span(points, 1);
        expect(left).toBeGreaterThan(0);
        expect(right).toBeLessThan(width);
        expect(top).toBeGreaterThan(0);
        expect(bottom).toBeLessThan(height);
        for (const p of points) for (const c of cards) expect(inBox(p, c), JSON.stringify([p, c])).toBe(false);
        for (const c of cards) for (const x of [c.left, c.right]) for (const y of [c.top, c.bottom]) expect(within(points, [x, y])).toBe(false);
      }
    });

    test(`is as large as without panels at ${width} × ${height} while no column is open`, () => {
      expect(frameRoom(shown, { width, height }, panels(width, height, 0)).distance / shown.camera.distance).toBeLessThan(1.12);
    });
  }

  test('is centred on a screen without panels', () => {
    const size = { width: 1600, height: 900 }, points = outline(size, []), [left, right] = span(points, 0), [top, bottom] = span(points, 1);
    expect((left + right) / 2).toBeCloseTo(800, 0);
    expect((top + bottom) / 2).toBeCloseTo(450, 0);
    expect(frameRoom(shown, size, []).distance).toBe(shown.camera.distance);
  });

  test('fits on a phone, and returns to the centre when the column closes', () => {
    const phone = { width: 390, height: 304 }, points = outline(phone, []);
    expect(span(points, 0)[0]).toBeGreaterThan(0);
    expect(span(points, 0)[1]).toBeLessThan(390);
    const size = { width: 1280, height: 720 };
    expect(frameRoom(shown, size, panels(1280, 720, 354)).aside).toBeGreaterThan(frameRoom(shown, size, panels(1280, 720, 0)).aside);
  });

  test('is shown behind the cards if they leave no space', () => {
    const size = { width: 800, height: 600 };
    expect(frameRoom(shown, size, [box(0, 0, 800, 600)])).toEqual(frameRoom(shown, size, []));
  });
});

function within(points: [number, number][], [x, y]: [number, number]): boolean {
  return points.every((p, i) => { const q = points[(i + 1) % points.length]!; return (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]) < 0; });
}
