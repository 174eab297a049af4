import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import { plantsIn } from './people_leisure.ts';

test('plants on the floor can be watered, along the whole planter', () => {
  const manifest = JSON.parse(readFileSync(join(process.cwd(), '../contracts/scenes/cozy_office_v0.json'), 'utf8')) as SceneManifest;
  const plants = plantsIn(manifest), planter = plants.filter(p => Math.abs(p.x + 0.55) < 0.01);
  expect(planter.length).toBeGreaterThan(4);
  expect(Math.max(...planter.map(p => p.z)) - Math.min(...planter.map(p => p.z))).toBeGreaterThan(2);
  expect(plants.some(p => p.x < -6.5)).toBe(false);
});
