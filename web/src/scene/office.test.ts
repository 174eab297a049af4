// @vitest-environment node
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { SceneManifest, SceneObject } from '../contracts/protocol.gen.ts';
import { builders } from './furniture/registry.ts';
import { wallOf } from './kit.ts';
import { buildOffice } from './office.ts';

const manifest = JSON.parse(readFileSync(new URL('../../../contracts/scenes/cozy_office_v0.json', import.meta.url), 'utf8')) as SceneManifest;
const office = buildOffice(manifest, true);

describe('the static office', () => {
  test('has a builder for every kind in the manifest', () => {
    expect([...new Set(manifest.objects.map(o => o.kind))].filter(kind => !(kind in builders))).toEqual([]);
  });

  test('draws every object at its position', () => {
    for (const { object, box } of office.pieces) {
      if (object.kind === 'cat') continue; // see cats.ts
      expect(box.isEmpty(), object.object_id).toBe(false);
      const [x, , z] = object.pos, near = 2.6;
      if (object.kind === 'string_lights') continue;
      expect(Math.abs((box.min.x + box.max.x) / 2 - x), object.object_id).toBeLessThan(near);
      expect(Math.abs((box.min.z + box.max.z) / 2 - z), object.object_id).toBeLessThan(near);
    }
  });

  test('stays within its budget of triangles and batches', () => {
    expect(office.triangles).toBeLessThan(120_000);
    expect(office.triangles).toBeGreaterThan(60_000);
    expect(Object.keys(office.batches).length).toBeLessThanOrEqual(6);
    expect(buildOffice(manifest, false).triangles).toBeLessThan(office.triangles * 0.6);
  });

  test('contains no NaN', () => {
    for (const batch of Object.values(office.batches)) {
      const g = batch.geometry();
      for (const name of ['position', 'normal', 'color']) expect(g.getAttribute(name).array.every(Number.isFinite), name).toBe(true);
    }
  });

  test('is the same every time', () => {
    const points = (kit: typeof office) => Buffer.from(kit.batches.matte.geometry().getAttribute('position').array.buffer);
    expect(points(buildOffice(manifest, true)).equals(points(office))).toBe(true);
  });

  test('knows every paint that it uses', () => {
    expect([...office.unknownPaints]).toEqual([]);
  });

  test('draws an unknown kind as a plain box of its size', () => {
    const thing: SceneObject = { object_id: 'obj_new', kind: 'hologram', pos: [1, 0, 1], rotation_y: 0, size: [0.4, 0.6, 0.8], footprint: { shape: 'none' } };
    const kit = buildOffice({ ...manifest, objects: [thing] }, true), box = kit.pieces[0]!.box;
    expect([box.max.x - box.min.x, box.max.y - box.min.y, box.max.z - box.min.z].map(v => Math.round(v * 1000) / 1000)).toEqual([0.4, 0.6, 0.8]);
  });

  test('hides what hangs on a wall together with the wall', () => {
    const { matte } = office.batches, all = matte.range({ left: false, back: false }), none = matte.range({ left: true, back: true });
    expect(none.start).toBeGreaterThan(0);
    expect(none.start + none.count).toBeLessThan(all.count);
    const board = office.pieces.find(p => p.object.kind === 'task_board')!;
    expect(board.spans.matte.map(s => s.side)).toEqual(['back']);
    expect(wallOf(manifest, board.object)).toBe('back');
  });

  test('knows which screens belong to which desk', () => {
    const desks = office.pieces.filter(p => p.object.kind === 'desk');
    expect(desks.every(p => p.screens[1] - p.screens[0] >= 4)).toBe(true);
  });
});
