import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import { plantsIn } from './people_leisure.ts';
import { arm } from './people_pastime.ts';

const scene = (id: string) => JSON.parse(readFileSync(join(process.cwd(), `../contracts/scenes/${id}.json`), 'utf8')) as SceneManifest;

test('plants on the floor can be watered, along the whole planter', () => {
  const plants = plantsIn(scene('cozy_office_v0')), planter = plants.filter(p => Math.abs(p.x + 0.55) < 0.01);
  expect(planter.length).toBeGreaterThan(4);
  expect(Math.max(...planter.map(p => p.z)) - Math.min(...planter.map(p => p.z))).toBeGreaterThan(2);
  expect(plants.some(p => p.x < -6.5)).toBe(false);
});

test.each([['cozy_office_v0', 'beanbags'], ['studio_v0', 'lounge']])('in %s, someone who gets up from a seat of the %s stands next to a plant', (id, type) => {
  const manifest = scene(id), plants = plantsIn(manifest), seats = manifest.pois.filter(p => p.type === type).flatMap(p => p.nav_anchors);
  expect(seats.some(({ approach }) => plants.some(p => Math.hypot(p.x - approach![0], p.z - approach![2]) < arm))).toBe(true);
});
