import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WebGLRenderer } from 'three';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import { placeCampus, type Placed } from '../world/campus.ts';
import { Focus } from '../world/focus.ts';
import { Settings } from '../world/settings.ts';
import { Store } from '../world/store.ts';
import { benchRooms } from './bench_campus.ts';
import { createCampus, type Campus } from './campus.ts';
import type { LightLayer } from './light.ts';
import { RoomStage } from './stage.ts';

const scene = (id: string) => JSON.parse(readFileSync(join(process.cwd(), '../contracts/scenes', `${id}.json`), 'utf8')) as SceneManifest;
const house = scene('cozy_office_v0'), modules = new Map(['studio_v0', 'garden_v0'].map(id => [id, scene(id)] as const));
const placed = (studios: number, guests = 24): readonly Placed[] => placeCampus(house, modules, benchRooms(studios, guests));

/** How many times rooms were shown, and how many slices of work were done. */
const count = { shown: 0, slices: 0 };

// Each reading of the clock advances it by more than a slice, so that a slice is one step of the work.
beforeEach(() => {
  let now = 0;
  Object.assign(count, { shown: 0, slices: 0 });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000));
});
afterEach(() => { vi.useRealTimers(); });

/** Opens a campus that is never drawn. */
function open(studios: number): Campus {
  const store = new Store();
  const light = { beam: { version: 0 }, setShadowArea() {}, setBakedLamps() {} } as unknown as LightLayer;
  return createCampus({ stage: new RoomStage(house, { shadowMap: {}, setPixelRatio() {}, setSize() {} } as unknown as WebGLRenderer, () => {}), light, labels: document.createElement('div'), deps: { store, focus: new Focus(), settings: new Settings(null, ''), send: async () => ({ ok: true }) }, shown: () => { count.shown++; } }, placed(studios));
}

/** Runs slices until the campus has shown rooms the given number of times. */
function growUntil(times: number): void {
  for (; count.shown < times; count.slices++) vi.runOnlyPendingTimers();
}

test('a studio is built in many slices, and shown in one', () => {
  const campus = open(12);
  campus.set(placed(13));
  expect([count.shown, campus.studios]).toEqual([1, 12]);
  growUntil(2);
  expect(campus.studios).toBe(13);
  // The slices build the ground, its meshes, 14 names, the fittings, and the light of 15 rooms.
  expect(count.slices).toBeGreaterThan(100);
});

test('a studio that grows on its plot leaves the ground as it is', () => {
  const campus = open(12);
  campus.set(placed(12, 144));
  growUntil(2);
  expect(count.slices).toBeGreaterThan(30);
  expect(count.slices).toBeLessThan(60);
});

test('rooms that change all the time are shown, and the last ones at the end', () => {
  const campus = open(2);
  campus.set(placed(3));
  for (; count.shown < 2; count.slices++) {
    vi.runOnlyPendingTimers();
    campus.set(placed(count.slices % 2 ? 3 : 4));
  }
  expect(campus.studios).toBe(3);
  campus.set(placed(5));
  growUntil(4);
  expect(campus.studios).toBe(5);
});

test('a campus that closes while it grows has nothing left to do', () => {
  const campus = open(2);
  campus.set(placed(3));
  vi.runOnlyPendingTimers();
  campus.dispose();
  expect([vi.getTimerCount(), count.shown]).toEqual([0, 1]);
});
