import { describe, expect, test } from 'vitest';
import { visitor } from '../look/identity.ts';
import { Cast } from './people_cast.ts';
import { assignPastimes, isUp, pastimeAt, type Spot } from './people_pastime.ts';
import { stepPerson } from './people_stepper.ts';
import { At } from './rig.ts';

const lounge: Spot = { seated: true, desk: false, plant: false }, desk: Spot = { seated: true, desk: true, plant: false }, planter: Spot = { seated: false, desk: false, plant: true }, near: Spot = { seated: true, desk: false, plant: true };
/** Returns a person's pastime in each second of an hour. */
const hour = (id: string, spot: Spot) => Array.from({ length: 3600 }, (_, s) => pastimeAt(id, 1_700_000_000_000 + s * 1000, spot));

describe('pastimes', () => {
  test('depend on the person and the time alone', () => {
    expect(hour('agent_a', lounge)).toEqual(hour('agent_a', lounge));
    expect(hour('agent_a', lounge)).not.toEqual(hour('agent_b', lounge));
  });

  test('fit the place', () => {
    expect(new Set(hour('agent_a', lounge))).toEqual(new Set(['none', 'read', 'stretch']));
    expect(new Set(hour('agent_a', near))).toEqual(new Set(['none', 'read', 'stretch', 'water']));
    expect(new Set(hour('agent_a', desk))).toEqual(new Set(['none', 'stretch']));
    expect(new Set(hour('agent_a', planter))).toEqual(new Set(['none', 'water', 'stretch']));
    expect(new Set(hour('agent_a', { seated: false, desk: false, plant: false }))).toEqual(new Set(['none', 'stretch']));
  });

  test('last for a while: nobody flickers between two', () => {
    const all = hour('agent_a', lounge), changes = all.filter((act, i) => i > 0 && act !== all[i - 1]).length;
    expect(changes).toBeLessThan(3600 / 24 * 2);
  });

  test('belong to free people only, and end when pastimes are turned off', () => {
    const cast = new Cast(), p = cast.add('agent_a', 'agent', visitor('agent_a', false)), plants = [{ x: 0, z: 1 }];
    const busyAt = hour('agent_a', planter).indexOf('water'), now = 1_700_000_000_000 + busyAt * 1000;
    p.pose = 'type';
    expect(assignPastimes(cast, plants, now, false)).toBe(false);
    p.pose = 'idle';
    expect(assignPastimes(cast, plants, now, false)).toBe(true);
    expect(p.pastime).toBe('water');
    expect(p.turnTo).toBeCloseTo(0);
    expect(assignPastimes(cast, plants, now, false)).toBe(false);
    expect(assignPastimes(cast, plants, now, true)).toBe(true);
    expect(p.pastime).toBe('none');
    expect(assignPastimes(cast, [{ x: 5, z: 5 }], now, false)).toBe(false);
  });

  test('let someone get up from a seat next to a plant, and sit down again', () => {
    const cast = new Cast(), p = cast.add('agent_a', 'agent', visitor('agent_a', false)), plants = [{ x: 1, z: 1 }];
    const start = 1_700_000_000_000 + hour('agent_a', near).indexOf('water') * 1000;
    Object.assign(p, { seat: 0.4, upX: 0.2, upZ: 0.8 });
    assignPastimes(cast, plants, start, false);
    expect(isUp(p)).toBe(true);
    stepPerson(cast, p, { now: start, dt: 0, still: true });
    expect([p.x, p.z, cast.data[At.sit], p.heading]).toEqual([0.2, 0.8, 0, Math.atan2(0.8, 1 - 0.8)]);
    assignPastimes(cast, plants, start, true);
    stepPerson(cast, p, { now: start, dt: 0, still: true });
    expect([p.x, p.z, cast.data[At.sit]]).toEqual([0, 0, 1]);
    p.upX = NaN;
    assignPastimes(cast, plants, start, false);
    expect(p.pastime).not.toBe('water');
  });

  test('of players end while someone needs them', () => {
    const cast = new Cast(), me = cast.add('agent_a', 'player', visitor('agent_a', true)), other = cast.add('agent_b', 'agent', visitor('agent_b', false));
    const now = 1_700_000_000_000 + hour('agent_a', planter).indexOf('water') * 1000;
    assignPastimes(cast, [{ x: 0, z: 1 }], now, false);
    expect(me.pastime).toBe('water');
    other.pose = 'ask';
    assignPastimes(cast, [{ x: 0, z: 1 }], now, false);
    expect(me.pastime).toBe('none');
  });
});
