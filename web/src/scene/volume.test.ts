// @vitest-environment node
import { readFileSync } from 'node:fs';
import { BoxGeometry } from 'three';
import { describe, expect, test } from 'vitest';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import { buildOffice } from './office.ts';
import { finish } from './slices.ts';
import { lampsOf, lightByte, lightOf } from './lamps.ts';
import { buildContact, buildVolume, cell, channels, openness, type Solid, type Volume } from './volume.ts';

const room = { w: 4, d: 3, h: 2.5 };
const up = [0, 1, 0] as const;

function box(w: number, h: number, d: number, x: number, y: number, z: number): Solid {
  const g = new BoxGeometry(w, h, d).translate(x, y + h / 2, z);
  return { position: g.getAttribute('position').array as Float32Array, index: g.index!.array };
}

const volumeOf = (...solids: Solid[]): Volume => finish(buildVolume(room, solids));

/** Returns the darkness of a room's floor at a point. */
function shadeAt({ floor: { width, dark } }: Volume, x: number, z: number, inside = room): number {
  return dark[Math.floor((z + inside.d / 2) * 32) * width + Math.floor((x + inside.w / 2) * 32)]!;
}

describe('the volume of a room', () => {
  test('covers the room with a margin', () => {
    const { cells, origin, data } = volumeOf();
    expect(data.length).toBe(cells[0] * cells[1] * cells[2] * channels);
    for (const [axis, size] of [room.w, room.h, room.d].entries()) expect(cells[axis]! * cell).toBeGreaterThan(size);
    expect(origin.every(o => o < 0)).toBe(true);
  });

  test('lets all light reach the open floor, and less light reach corners and undersides', () => {
    const volume = volumeOf(box(0.1, 2.5, 3, -1.95, 0, 0), box(1, 0.05, 1, 0.8, 0.3, 0));
    const open = openness(volume, 0, 1.5, 1, up);
    expect(open).toBe(1);
    expect(openness(volume, -1.85, 0, 0, up)).toBeLessThan(0.8);
    expect(openness(volume, 0.8, 0, 0, up)).toBeLessThan(openness(volume, -0.6, 0, 0, up) - 0.1);
    expect(openness(volume, 0.8, 0.3, 0, [0, -1, 0])).toBeLessThan(0.7);
  });

  test('ignores what lies flat on the floor and what is outside', () => {
    expect(volumeOf(box(2, 0.03, 2, 0, 0, 0), box(1, 1, 1, 30, 0, 0)).data).toEqual(volumeOf().data);
  });

  test('shades the floor sharply under what touches it, softly under what hangs low, and nowhere else', () => {
    const foot = volumeOf(box(0.4, 0.5, 0.4, 0, 0, 0)), low = volumeOf(box(0.4, 0.1, 0.4, 0, 0.5, 0)), high = volumeOf(box(0.4, 0.1, 0.4, 0, 1.2, 0));
    expect(shadeAt(foot, 0.19, 0)).toBeGreaterThan(shadeAt(low, 0.19, 0));
    expect(shadeAt(low, 0, 0)).toBeGreaterThan(20);
    expect(high.floor.dark.every(d => d === 0)).toBe(true);
    expect(shadeAt(foot, 1.5, 1)).toBe(0);
  });

  test('fills large triangles without holes', () => {
    const { cells: [nx, ny], data } = volumeOf(box(3.8, 0.02, 2.8, 0, 1.2, 0));
    const at = (i: number, k: number) => data[((k * ny + Math.floor((1.21 + 0.2) / cell)) * nx + i) * channels]!;
    const row = Array.from({ length: 30 }, (_, i) => at(i + 10, 20));
    expect(Math.min(...row)).toBe(Math.max(...row));
  });
});

test('the floor of the office is darker below furniture than in the open', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../../contracts/scenes/cozy_office_v0.json', import.meta.url), 'utf8')) as SceneManifest;
  const { matte, glossy } = buildOffice(manifest, true).batches;
  const volume = finish(buildVolume(manifest.room, [matte.solid(), glossy.solid()]));
  expect(shadeAt(volume, -5.98, 0.1, manifest.room)).toBeGreaterThan(90);
  expect(shadeAt(volume, 2.3, 1.6, manifest.room)).toBeLessThan(40);
});

describe('the lamps of a room', () => {
  const lamp = { pos: [0, 1.5, 0] as [number, number, number], intensity: 8, reach: 3, decay: 1.6 };
  const volume = finish(buildVolume(room, [], [lamp])), { cells: [nx, ny], origin } = volume;
  const lightAt = (x: number, y: number, z: number) => {
    const [i, j, k] = [x - origin[0], y - origin[1], z - origin[2]].map(v => Math.floor(v / cell)) as [number, number, number];
    return volume.data[((k * ny + j) * nx + i) * channels + 2]!;
  };

  test('light what is near more than what is far', () => {
    expect(lightAt(0.2, 1.5, 0)).toBeGreaterThan(lightAt(1, 1.5, 0));
    expect(lightAt(1, 1.5, 0)).toBeGreaterThan(lightAt(1.8, 1.5, 0));
    expect(lightOf(lamp, 3)).toBe(0);
  });

  test('leave the space behind the walls dark', () => {
    expect(lightAt(-1.95, 1.5, 0)).toBeGreaterThan(0);
    expect([lightAt(-2.2, 1.5, 0), lightAt(0, 1.5, -1.7)]).toEqual([0, 0]);
    expect(lightAt(0, 1.5, 1.7), 'the front is open').toBeGreaterThan(0);
  });

  test('are those of the manifest, and bulbs that it does not list', () => {
    const listed = { color: '#ffb066', intensity: 9, distance: 6, decay: 1.6, pos: [1, 2, 3] as [number, number, number] };
    const lamps = lampsOf([listed], [{ pos: { x: 1, y: 2, z: 3 }, size: 2.2 }, { pos: { x: 0, y: 2, z: 0 }, size: 0.4 }]);
    expect(lamps.map(l => l.pos)).toEqual([[1, 2, 3], [0, 2, 0]]);
    expect(lightByte(1000)).toBe(255);
  });
});

test('the work of a studio is done in many small slices', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../../contracts/scenes/studio_v0.json', import.meta.url), 'utf8')) as SceneManifest;
  const kit = buildOffice(manifest, false, { minLength: 0.15 }), solids = [kit.batches.matte.solid(), kit.batches.glossy.solid()], lamps = lampsOf(manifest.lighting.night.lamps, kit.glows);
  const slices = [...buildVolume(manifest.room, solids, lamps), ...buildContact(manifest.room, solids)];
  expect(slices.length).toBeGreaterThan(400);
  // One triangle of the floor slab has the most points.
  expect(Math.max(...slices)).toBeLessThan(40_000);
});
