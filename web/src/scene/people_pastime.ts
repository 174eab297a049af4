import { hash } from '../look/identity.ts';
import type { Cast, Person } from './people_cast.ts';
import { limbs, type Limbs } from './people_pose.ts';

/** The pastime of a free person. It is decided here, not recorded, and never looks like work. */
export type Pastime = 'none' | 'read' | 'stretch' | 'water';

/** How long a person keeps up a pastime, and how long a stretch takes, in ms. */
const turnFor = 24_000;
const stretchFor = 3600;
/** How near a plant must be to be watered, in metres. */
export const arm = 1.35;

/** The positions of the limbs in each pastime; `none` looks like the idle pose. */
export const pastimeLimbs: Readonly<Record<Pastime, Limbs>> = {
  none: limbs.idle,
  read: { ...limbs.read, pitch: 0.2, looks: 0 },
  stretch: { ...limbs.idle, hand: 3, pitch: -0.14, looks: 0 },
  water: { ...limbs.idle, carry: 0.85, pitch: 0.12, looks: 0 },
};

/** Where a free person is: on a seat, at a desk, or at most a step away from a plant. */
export interface Spot { seated: boolean; desk: boolean; plant: boolean }

/**
 * Returns the pastime of a free person at the given time. It depends only on the arguments, so every viewer sees the
 * same pastime; people switch pastimes at different times.
 */
export function pastimeAt(id: string, now: number, { seated, desk, plant }: Spot): Pastime {
  const own = now + (hash(id) % turnFor), turn = Math.floor(own / turnFor), luck = hash(`${id} ${turn}`) % 100;
  if (luck >= 80) return own - turn * turnFor < stretchFor ? 'stretch' : 'none';
  if (plant && !desk && luck < (seated ? 25 : 60)) return 'water';
  return seated && !desk && luck < 50 ? 'read' : 'none';
}

/** A plant that can be watered. */
export interface Plant { x: number; z: number }

/** Gives every free person their pastime at the given time, or none if `off`; returns true if any changed. */
export function assignPastimes(cast: Cast, plants: readonly Plant[], now: number, off: boolean): boolean {
  // Players attend to agents that need them.
  const asked = cast.people.some(p => p.pose === 'ask');
  let changed = false;
  for (const p of cast.people) {
    const free = !off && p.pose === 'idle' && !p.moving && p.leftAt === 0 && !(asked && p.kind === 'player');
    const seated = p.seat > 0 && p.rank === 0, x = p.endX + (seated ? p.upX : p.asideX), z = p.endZ + (seated ? p.upZ : p.asideZ);
    const plant = free ? nearest(plants, x, z) : null;
    const next = free ? pastimeAt(p.id, now, { seated, desk: p.desk, plant: plant !== null }) : 'none';
    if (next === p.pastime) continue;
    p.pastime = next;
    p.turnTo = next === 'water' && plant ? Math.atan2(plant.x - x, plant.z - z) : NaN;
    p.settled = false;
    changed = true;
  }
  return changed;
}

/** Reports whether a person has got up from a seat to water a plant. */
export const isUp = (p: Person): boolean => p.pastime === 'water' && p.seat > 0 && p.rank === 0;

function nearest(plants: readonly Plant[], x: number, z: number): Plant | null {
  let best: Plant | null = null, least = arm;
  for (const q of plants) {
    const far = Math.hypot(q.x - x, q.z - z);
    if (far < least) { best = q; least = far; }
  }
  return best;
}
