import * as T from 'three';
import type { Vec3 } from '../contracts/protocol.gen.ts';
import type { Hit, Layer, Stage } from './layer.ts';

const ground = new T.Plane(new T.Vector3(0, 1, 0), 0);

/** Finds the object or the floor position under a point on the canvas. */
export class Picker {
  readonly #ray = new T.Raycaster();
  readonly #at = new T.Vector2();
  readonly #point = new T.Vector3();

  constructor(readonly stage: Stage, readonly layers: readonly Layer[]) {}

  #aim(x: number, y: number): void {
    const { width, height } = this.stage.size;
    this.#ray.setFromCamera(this.#at.set((x / width) * 2 - 1, 1 - (y / height) * 2), this.stage.camera);
  }

  /**
   * Returns the nearest object under a point, or null. Furniture counts only if nothing else is there. With
   * `kind`, only objects of that kind count.
   */
  at(x: number, y: number, kind?: Hit['ref']['kind']): Hit | null {
    this.#aim(x, y);
    const hits = this.layers.flatMap(l => l.pick?.(this.#ray) ?? []);
    return firstHit(kind ? hits.filter(h => h.ref.kind === kind) : hits);
  }

  /** Returns the position at `height` under a point on the canvas, even outside the room; null above the horizon. */
  ground(x: number, y: number, height = 0): Vec3 | null {
    this.#aim(x, y);
    ground.constant = -height;
    return this.#ray.ray.intersectPlane(ground, this.#point) ? [this.#point.x, 0, this.#point.z] : null;
  }

  /** Returns the floor position under a point, or null outside the campus. */
  floor(x: number, y: number): Vec3 | null {
    const p = this.ground(x, y);
    return p && this.stage.walkable(p[0], p[2]) ? p : null;
  }
}

/**
 * Returns the hit that a click selects. People win over cats and objects on desks, which win over furniture, because
 * furniture has wide boxes. Among equals, the nearest wins.
 */
export function firstHit(hits: readonly Hit[]): Hit | null {
  const rank = (h: Hit) => (h.ref.kind === 'poi' ? 2 : h.aside || h.ref.kind === 'cat' ? 1 : 0);
  return hits.toSorted((a, b) => rank(a) - rank(b) || a.distance - b.distance)[0] ?? null;
}
