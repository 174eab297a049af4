// @vitest-environment node
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import { buildOffice } from './office.ts';
import { isFoliage, swayingKinds } from './sway.ts';

const manifest = JSON.parse(readFileSync(new URL('../../../contracts/scenes/cozy_office_v0.json', import.meta.url), 'utf8')) as SceneManifest;

test('leaves sway, pots and furniture do not', () => {
  expect(['leaf_1', 'petal_rose', 'stalk'].every(isFoliage)).toBe(true);
  expect(['pot_1', 'soil', 'leaflet', 'wood_light'].some(isFoliage)).toBe(false);
  const g = buildOffice(manifest, true).batches.matte.geometry(), sway = g.getAttribute('sway'), pos = g.getAttribute('position');
  expect(sway.count).toBe(pos.count);
  const bare = buildOffice({ ...manifest, objects: manifest.objects.filter(o => !swayingKinds.has(o.kind)) }, true).batches.matte.geometry();
  expect(bare.hasAttribute('sway')).toBe(false);
  expect(Math.max(...sway.array)).toBeGreaterThan(0.8);
  expect(Math.max(...sway.array)).toBeLessThan(2);
});
