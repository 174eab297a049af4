import type { Tier } from './quality.ts';

/** How long after the last change the room comes to rest, in ms. */
export const restAfter = 10_000;
/** The frame interval while people only breathe, in ms. */
const breath = 66;
/** How often a pose that ends by itself is checked, in ms. */
const glance = 1000;

/** Whether any current pose is animated, and whether any ends by itself. */
export interface Doing { alive: boolean; passing: boolean }

/**
 * Decides when people who stand or sit are drawn again. `next` returns 0 for the next frame,
 * a delay in ms, or null to wait until something happens. The room comes to rest, because an
 * unchanged room is rarely watched for long and constant drawing makes fans audible.
 */
export class Breath {
  #fresh = true;
  #since = 0;
  #resting = false;

  /** Records a change; returns true if the room was at rest. */
  wake(): boolean {
    this.#fresh = true;
    return this.#resting;
  }

  next(now: number, tier: Tier, still: boolean, doing: Doing): number | null {
    // A test's clock may go back.
    if (this.#fresh || now < this.#since) this.#since = now;
    this.#fresh = false;
    const over = now - this.#since >= restAfter;
    const wait = tier === 'test' ? null : still || over ? (doing.passing ? glance : null) : doing.alive ? 0 : doing.passing ? glance : tier === 'low' ? null : breath;
    this.#resting = over && !still && tier !== 'test';
    return wait;
  }
}
