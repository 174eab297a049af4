// A crowd must dispose of its geometries and materials, or every change of quality would leak memory.
import { type Material, Mesh, MeshLambertMaterial, PerspectiveCamera, type BufferGeometry } from 'three';
import { expect, test } from 'vitest';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import { Focus } from '../world/focus.ts';
import { Store } from '../world/store.ts';
import type { RoomDeps } from './deps.ts';
import type { Stage } from './layer.ts';
import { createPeople } from './people.ts';
import { quality } from './quality.ts';

test('a crowd disposes of all geometries and materials', () => {
  const stage = {
    manifest: { pois: [], room: { w: 10, d: 10 } } as unknown as SceneManifest, camera: new PerspectiveCamera(), renderer: { domElement: document.createElement('canvas') },
    quality: quality('low'), still: false, size: { width: 100, height: 100 }, invalidate() {}, castersMoved() {}, screens: new Map(), setScreen() {}, setLamp() {}, material: () => new MeshLambertMaterial(),
  } as unknown as Stage;
  const people = createPeople(stage, { store: new Store(), focus: new Focus() } as unknown as RoomDeps);
  const left = new Set<Material | BufferGeometry>();
  people.group.traverse(o => { if (o instanceof Mesh) for (const x of [o.geometry, o.material, o.customDepthMaterial] as (Material | BufferGeometry | undefined)[]) if (x) left.add(x); });
  for (const x of left) (x as Material).addEventListener('dispose', () => left.delete(x));
  expect(left.size).toBeGreaterThan(10);
  people.dispose();
  expect([...left].map(x => x.type)).toEqual([]);
});
