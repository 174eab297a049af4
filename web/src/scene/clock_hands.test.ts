import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import { placeCampus } from '../world/campus.ts';
import { benchRooms } from './bench_campus.ts';
import { clocksOf, handsAt } from './clock_hands.ts';

test('the hands show the local time', () => {
  const at = (hours: number, minutes: number) => handsAt(new Date(2026, 0, 5, hours, minutes));
  expect(at(0, 0)).toEqual({ hour: 0, minute: 0 });
  expect(at(15, 0).hour).toBeCloseTo(Math.PI / 2);
  expect(at(15, 30)).toEqual({ hour: expect.closeTo((3.5 / 12) * 2 * Math.PI), minute: expect.closeTo(Math.PI) });
  expect(at(3, 15)).toEqual(at(15, 15));
});

test('the house and every studio of a full campus have a clock on a wall', () => {
  const scene = (id: string) => JSON.parse(readFileSync(join(process.cwd(), '../contracts/scenes', `${id}.json`), 'utf8')) as SceneManifest;
  const placed = placeCampus(scene('cozy_office_v0'), new Map(['studio_v0', 'garden_v0'].map(id => [id, scene(id)])), benchRooms(24, 24)), clocks = clocksOf(placed);
  expect(clocks.map(({ x, z }) => [x, z])).toEqual(placed.filter(p => p.id !== 'garden').map(({ x, z }) => [x, z]));
  expect(clocks.every(c => c.wall === 'back')).toBe(true);
});
