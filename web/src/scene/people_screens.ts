import type { Stage } from './layer.ts';
import type { Cast } from './people_cast.ts';
import type { Pose } from './people_pose.ts';

const glow: Partial<Record<Pose, number>> = { type: 1, think: 0.75, read: 0.7, ask: 0.5, blocked: 0.4 };

/** Screens and lamps tell who is at work: they follow the people at their places. */
export class Screens {
  #level = new Map<string, number>();
  readonly #dark = new Set<string>();

  constructor(readonly stage: Stage, readonly cast: Cast) {}

  update(): void {
    const next = new Map<string, number>();
    for (const p of this.cast.people) {
      const poi = p.view?.motion?.goal.poi_id ?? p.view?.goal?.poi_id;
      if (!poi || p.moving) continue;
      next.set(poi, Math.max(next.get(poi) ?? 0, glow[p.pose] ?? 0));
      this.#lamp(poi, p.pose !== 'offline');
    }
    for (const [poi, level] of next) if (this.#level.get(poi) !== level) this.stage.setScreen(poi, level);
    for (const poi of this.#level.keys()) if (!next.has(poi)) this.stage.setScreen(poi, 0);
    this.#level = next;
  }

  #lamp(poi: string, on: boolean): void {
    if (this.#dark.has(poi) !== on) return;
    if (on) this.#dark.delete(poi); else this.#dark.add(poi);
    this.stage.setLamp(poi, on);
  }
}
