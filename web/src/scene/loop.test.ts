import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Loop } from './loop.ts';

let queue: FrameRequestCallback[] = [];
let hidden = false;
let time = 0;

/** Runs n animation frames. */
function frames(n: number): void {
  for (let i = 0; i < n; i++) { time += 16; for (const f of queue.splice(0)) f(time); }
}

beforeEach(() => {
  queue = [];
  hidden = false;
  vi.stubGlobal('requestAnimationFrame', (f: FrameRequestCallback) => queue.push(f));
  vi.stubGlobal('cancelAnimationFrame', () => { queue = []; });
  vi.spyOn(document, 'hidden', 'get').mockImplementation(() => hidden);
});
afterEach(() => { vi.unstubAllGlobals(); vi.restoreAllMocks(); });

describe('frames on demand', () => {
  test('draws nothing without a change', () => {
    let drawn = 0;
    const loop = new Loop(() => { drawn++; return false; });
    loop.start();
    frames(10);
    expect(drawn).toBe(1);
    loop.invalidate();
    loop.invalidate();
    frames(10);
    expect(drawn).toBe(2);
  });

  test('runs while something moves and marks the first frame of a run', () => {
    const firsts: boolean[] = [];
    let left = 3;
    const loop = new Loop((_t, first) => { firsts.push(first); return --left > 0; });
    loop.start();
    frames(10);
    left = 1;
    loop.invalidate();
    frames(10);
    expect(firsts).toEqual([true, false, false, true]);
  });

  test('a change during a frame causes another frame', () => {
    let drawn = 0;
    const loop: Loop = new Loop(() => { if (++drawn === 1) loop.invalidate(); return false; });
    loop.start();
    frames(10);
    expect(drawn).toBe(2);
  });

  test('a hidden tab draws nothing and catches up with one frame', () => {
    let drawn = 0;
    const loop = new Loop(() => { drawn++; return true; });
    loop.start();
    frames(2);
    hidden = true;
    document.dispatchEvent(new Event('visibilitychange'));
    loop.invalidate();
    frames(10);
    expect(drawn).toBe(2);
    hidden = false;
    document.dispatchEvent(new Event('visibilitychange'));
    frames(1);
    expect(drawn).toBe(3);
  });

  test('keeps the minimum gap between frames, and stops', () => {
    let drawn = 0;
    const loop = new Loop(() => { drawn++; return true; }, 33);
    loop.start();
    frames(20);
    expect(drawn).toBe(10);
    loop.stop();
    loop.invalidate();
    frames(5);
    expect(drawn).toBe(10);
  });
});
