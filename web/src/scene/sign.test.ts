import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataTexture } from 'three';
import { expect, test } from 'vitest';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import { placeCampus, type Placed } from '../world/campus.ts';
import { benchRooms } from './bench_campus.ts';
import type { Stage } from './layer.ts';
import { Signs } from './sign.ts';
import { finish } from './slices.ts';

const scene = (id: string) => JSON.parse(readFileSync(join(process.cwd(), '../contracts/scenes', `${id}.json`), 'utf8')) as SceneManifest;
const modules = new Map(['studio_v0', 'garden_v0'].map(id => [id, scene(id)] as const));
const named = (studios: number): Placed[] => placeCampus(scene('cozy_office_v0'), modules, benchRooms(studios, studios)).filter(p => p.id !== 'garden');

/** Shows the signs of rooms; returns how many are drawn, and the texture. */
function show(signs: Signs, rooms: readonly Placed[]): { drawn: number; map: DataTexture } {
  finish(signs.prepare(rooms))();
  return { drawn: signs.mesh.geometry.index!.count / 6, map: signs.mesh.material.map as DataTexture };
}

test('the texture of signs keeps its size, and is uploaded only for new names', () => {
  const signs = new Signs({ hidden: { left: false, back: false } } as Stage), one = show(signs, named(1));
  const { width, height } = one.map.image, { version } = one.map;
  expect(one.drawn).toBe(2);
  expect(width * height).toBeLessThan(2 ** 21);
  show(signs, named(1));
  expect(one.map.version).toBe(version);
  const all = show(signs, named(24));
  expect([all.drawn, all.map, all.map.version]).toEqual([25, one.map, version + 1]);
  expect([all.map.image.width, all.map.image.height]).toEqual([width, height]);
});

test('rooms that close make space for the names of new rooms', () => {
  const signs = new Signs({ hidden: { left: false, back: false } } as Stage), rooms = named(24);
  for (let day = 0; day < 3; day++) expect(show(signs, rooms.map(r => ({ ...r, label: `${r.label} ${day}` }))).drawn).toBe(25);
});

test('more rooms than the texture has space for leave signs empty', () => {
  const signs = new Signs({ hidden: { left: false, back: false } } as Stage), rooms = named(24);
  expect(show(signs, [...rooms, ...rooms.map(r => ({ ...r, label: `${r.label} 2` }))]).drawn).toBe(25);
});
