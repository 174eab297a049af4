import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { finish, inSlices } from './slices.ts';

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

/** Yields n times. */
function* count(n: number): Generator<void, number> {
  for (let i = 0; i < n; i++) yield;
  return n;
}

test('work can be finished in one go', () => {
  expect(finish(count(100))).toBe(100);
});

test('work in slices ends with its result, and not before the caller returns', () => {
  const done = vi.fn<(n: number) => void>();
  inSlices(count(100), done);
  expect(done).not.toHaveBeenCalled();
  vi.runAllTimers();
  expect(done).toHaveBeenCalledExactlyOnceWith(100);
});

test('stopped work has no result', () => {
  const done = vi.fn<(n: number) => void>();
  inSlices(count(100), done)();
  vi.runAllTimers();
  expect(done).not.toHaveBeenCalled();
});
