import type { Vec3 } from '../contracts/protocol.gen.ts';

/** The current point of a walk. It is overwritten in place, so that a crowd of a thousand creates no garbage. */
export interface Step { x: number; z: number; hx: number; hz: number; arrived: boolean }

/** Sets `out` to the point that is `dist` metres along a path, like `along` in world/position, and returns `out`. */
export function stepAlong(path: readonly Vec3[], dist: number, out: Step): Step {
  let left = dist > 0 ? dist : 0;
  out.hx = out.hz = 0;
  for (let i = 1; i < path.length; i++) {
    const a = path[i - 1]!, b = path[i]!;
    const dx = b[0] - a[0], dy = b[1] - a[1], dz = b[2] - a[2], leg = Math.sqrt(dx * dx + dy * dy + dz * dz);
    if (leg === 0) continue;
    out.hx = dx / leg;
    out.hz = dz / leg;
    if (left < leg) {
      const t = left / leg;
      out.x = a[0] + dx * t;
      out.z = a[2] + dz * t;
      out.arrived = false;
      return out;
    }
    left -= leg;
  }
  const last = path[path.length - 1];
  out.x = last ? last[0] : 0;
  out.z = last ? last[2] : 0;
  out.arrived = true;
  return out;
}

/** Normalizes an angle to the range from -π to π. */
export function shortWay(a: number): number {
  let d = a % (Math.PI * 2);
  if (d > Math.PI) d -= Math.PI * 2;
  else if (d < -Math.PI) d += Math.PI * 2;
  return d;
}

/** The size of a grid cell, in metres; destinations in the same cell are the same spot. */
const cell = 0.3;
const golden = 2.399963;

/** A person who may have to step aside: their destination, the offset from it, and their rank there. */
export interface Stander { endX: number; endZ: number; asideX: number; asideZ: number; rank: number }

/**
 * Assigns places around a spot to the people whose walks end there. The first person gets the
 * spot itself; the caller sets the order, so that every viewer sees the same arrangement.
 */
export class Spread {
  readonly #taken = new Map<number, number>();

  arrange(all: readonly Stander[], count: number): void {
    this.#taken.clear();
    for (let i = 0; i < count; i++) {
      const p = all[i]!;
      const key = (Math.round(p.endX / cell) + 4096) * 16384 + Math.round(p.endZ / cell) + 4096;
      const rank = this.#taken.get(key) ?? 0;
      this.#taken.set(key, rank + 1);
      p.rank = rank;
      const r = rank === 0 ? 0 : 0.42 * Math.sqrt(rank + 0.6);
      p.asideX = Math.cos(rank * golden) * r;
      p.asideZ = Math.sin(rank * golden) * r;
    }
  }
}
