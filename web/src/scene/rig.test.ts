import { describe, expect, it } from 'vitest';
import { accessories, hairStyles, identity, visitor } from '../look/identity.ts';
import { accessoryGeometry, carriedBoxGeometry } from './rig_accessory.ts';
import { bodyGeometry } from './rig_body.ts';
import { hairGeometry } from './rig_hair.ts';
import { sculptJoin, triangles } from './rig_sculpt.ts';

/** The triangle budget of one person. */
const most = 2000;

describe('a person', () => {
  it('has at most 2,000 triangles in any outfit', () => {
    const body = triangles(bodyGeometry()), box = triangles(carriedBoxGeometry());
    const hair = Math.max(...hairStyles.map(s => triangles(hairGeometry(s))));
    const worn = Math.max(...accessories.map(a => { const g = accessoryGeometry(a); return g ? triangles(g) : 0; }));
    expect(body + hair + worn).toBeLessThanOrEqual(most);
    expect(box).toBeLessThan(100);
  });

  it('stands on the floor and is 1.25 m tall', () => {
    const g = bodyGeometry();
    g.computeBoundingBox();
    expect(g.boundingBox!.min.y).toBeGreaterThanOrEqual(0);
    expect(g.boundingBox!.max.y).toBeCloseTo(1.24, 1);
  });

  it('has one outline with hair and accessory', () => {
    const parts = [bodyGeometry(), hairGeometry('bun'), accessoryGeometry('tie')!];
    expect(triangles(sculptJoin(parts))).toBe(parts.reduce((n, g) => n + triangles(g), 0));
  });
});

describe('identity', () => {
  it('depends only on id and role', () => {
    expect(identity('agent_ada', 'engineer')).toEqual(identity('agent_ada', 'engineer'));
    expect(visitor('player_1', true)).toEqual(visitor('player_1', true));
  });

  it('shows the role by accessory, and only the BD wears the blazer', () => {
    const top = identity('agent_bd', 'bd').top;
    expect(identity('agent_bd', 'bd').accessory).toBe('tie');
    for (let i = 0; i < 200; i++) {
      expect(identity(`agent_${i}`, 'engineer').accessory).toBe('headphones');
      expect(identity(`agent_${i}`, 'engineer').top).not.toBe(top);
    }
  });

  it('spreads people over the looks', () => {
    const looks = new Set(Array.from({ length: 200 }, (_, i) => JSON.stringify({ ...identity(`agent_${i}`), seed: 0, height: 0 })));
    expect(looks.size).toBeGreaterThan(190);
  });

  it('accepts an unknown role', () => {
    expect(accessories).toContain(identity('agent_x', '__proto__').accessory);
  });
});
