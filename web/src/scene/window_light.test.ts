// @vitest-environment node
import { readFileSync } from 'node:fs';
import { Vector3 } from 'three';
import { expect, test } from 'vitest';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import { duskOf } from './night.ts';
import { createWindowLight } from './window_light.ts';

const manifest = JSON.parse(readFileSync(new URL('../../../contracts/scenes/cozy_office_v0.json', import.meta.url), 'utf8')) as SceneManifest;
const { w, d, windows } = manifest.room;

/** Returns the corners of the light on the floor. */
function cornersOf(sun: Vector3): number[][] {
  const { mesh, shine } = createWindowLight([{ room: manifest.room, x: 0, z: 0 }]);
  shine(sun, 0.2, 0);
  const at = mesh.geometry.getAttribute('position');
  return Array.from({ length: at.count }, (_, i) => [at.getX(i), at.getY(i), at.getZ(i)]);
}

test('each window of the left wall throws one patch of light', () => {
  expect(cornersOf(new Vector3(-16, 11.5, 7.4))).toHaveLength(windows.filter(o => o.wall === 'left').length * 4);
});

test('the light stays on the floor, however low the sun is', () => {
  for (const y of [11.5, 4, 0.2]) {
    for (const [x, , z] of cornersOf(new Vector3(-16, y, 7.4))) {
      expect(Math.abs(x!)).toBeLessThanOrEqual(w / 2 + 1e-4);
      expect(Math.abs(z!)).toBeLessThanOrEqual(d / 2 + 1e-4);
    }
  }
});

test('a lower sun throws the light farther', () => {
  const farthest = (y: number) => Math.max(...cornersOf(new Vector3(-16, y, 0)).map(([x]) => x!));
  expect(farthest(8)).toBeGreaterThan(farthest(16));
});

test('evening light is strongest in the middle of twilight and absent by day and by night', () => {
  expect([0, 0.5, 1].map(duskOf)).toEqual([0, 1, 0]);
});

test('each room has its own light', () => {
  const { mesh, shine } = createWindowLight([{ room: manifest.room, x: 0, z: 0 }, { room: manifest.room, x: 40, z: -20 }]), sun = new Vector3(-16, 11.5, 7.4);
  shine(sun, 0.2, 0);
  const at = mesh.geometry.getAttribute('position'), half = at.count / 2;
  for (let i = 0; i < half; i++) expect([at.getX(i + half) - 40, at.getZ(i + half) + 20]).toEqual([expect.closeTo(at.getX(i), 4), expect.closeTo(at.getZ(i), 4)]);
});
