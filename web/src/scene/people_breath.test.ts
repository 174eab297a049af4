import { describe, expect, test } from 'vitest';
import { Breath, restAfter, sleepAfter } from './people_breath.ts';

const quiet = { alive: false, passing: false }, pulse = { alive: true, passing: false };

describe('breathing', () => {
  test('ends a while after the last change and starts again with the next one', () => {
    const b = new Breath();
    expect(b.next(1000, 'high', false, quiet)).toBeGreaterThan(0);
    expect(b.next(1000 + sleepAfter - 1, 'high', false, quiet)).toBeGreaterThan(0);
    expect(b.next(1000 + sleepAfter, 'high', false, quiet)).toBeNull();
    expect(b.wake()).toBe(true);
    expect(b.next(5_000_000, 'high', false, quiet)).toBeGreaterThan(0);
    expect(b.wake()).toBe(false);
  });

  test('is off on a weak machine, where only active people move', () => {
    const b = new Breath();
    expect(b.next(0, 'low', false, quiet)).toBeNull();
    expect(b.next(1, 'low', false, pulse)).toBe(0);
    expect(b.next(restAfter, 'low', false, pulse)).toBeNull();
  });

  test('an unanswered question does not pulse forever', () => {
    const b = new Breath();
    expect(b.next(0, 'high', false, pulse)).toBe(0);
    expect(b.next(restAfter, 'high', false, pulse)).toBeGreaterThan(0);
    expect(b.next(sleepAfter, 'high', false, pulse)).toBeNull();
  });

  test('with reduced motion a pose that ends by itself is still redrawn', () => {
    const b = new Breath();
    expect(b.next(0, 'high', true, { alive: true, passing: true })).toBeGreaterThan(0);
    expect(b.next(1, 'high', true, pulse)).toBeNull();
    expect(b.next(2, 'test', false, pulse)).toBeNull();
  });
});
