import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import type { Placed } from '../world/campus.ts';
import { catsOf, joyAt, purrFor } from './cats.ts';
import { catGeometry } from './cats_shape.ts';
import { firstHit } from './pick.ts';
import { Vector3 } from 'three';

const scene = (id: string) => JSON.parse(readFileSync(join(process.cwd(), `../contracts/scenes/${id}.json`), 'utf8')) as SceneManifest;
const house: Placed = { id: '', label: 'House', room: null, manifest: scene('cozy_office_v0'), plot: [0, 0], x: 0, z: 0 };
const garden: Placed = { id: 'garden', label: 'Garden', room: null, manifest: scene('garden_v0'), plot: [1, 1], x: 15, z: 12 };

describe('cats', () => {
  test('live in the house and in the garden', () => {
    expect(catsOf([house]).map(c => c.id)).toEqual(['obj_cat', 'obj_cat_on_the_sill']);
    expect(catsOf([house, garden]).at(-1)).toMatchObject({ id: 'obj_garden_cat', x: 16, z: 13 });
  });

  test('enjoy being petted for a while', () => {
    expect([joyAt(-1), joyAt(0), joyAt(purrFor / 2), joyAt(purrFor), joyAt(Infinity)]).toEqual([0, 0, 1, 0, 0]);
  });

  test('have a body, a head and a tail in two colours of fur', () => {
    const kinds = new Set(catGeometry(false).getAttribute('kind').array);
    expect([...kinds].sort()).toEqual([1, 2, 3, 4, 5, 8]);
  });

  test('never block a click on a person, and take precedence over furniture', () => {
    const hit = (kind: 'cat' | 'agent' | 'poi', distance: number) => ({ ref: { kind, id: kind }, distance, point: new Vector3() });
    expect(firstHit([hit('cat', 1), hit('agent', 9), hit('poi', 0)])?.ref.kind).toBe('agent');
    expect(firstHit([hit('cat', 3), hit('poi', 1)])?.ref.kind).toBe('cat');
  });
});
