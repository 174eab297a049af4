import { expect, test } from 'vitest';
import { handsAt } from './clock_hands.ts';

test('the hands show the local time', () => {
  const at = (hours: number, minutes: number) => handsAt(new Date(2026, 0, 5, hours, minutes));
  expect(at(0, 0)).toEqual({ hour: 0, minute: 0 });
  expect(at(15, 0).hour).toBeCloseTo(Math.PI / 2);
  expect(at(15, 30)).toEqual({ hour: expect.closeTo((3.5 / 12) * 2 * Math.PI), minute: expect.closeTo(Math.PI) });
  expect(at(3, 15)).toEqual(at(15, 15));
});
