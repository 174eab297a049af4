import type { Tier } from './quality.ts';

/**
 * How long after the last change the room becomes calm, in ms. In a calm room, people who are asking a question or
 * typing are not drawn at the full frame rate.
 */
export const restAfter = 10_000;
/** How long after the last change the room comes to rest on a fast machine, in ms. Slower machines use `restAfter`. */
export const sleepAfter = 300_000;
/** The frame interval while people only breathe, in ms. */
const breath = 66;
/** The interval at which a pose that ends by itself is checked, in ms. */
const poseCheckInterval = 1000;

/** Whether any current pose is animated, and whether any ends by itself. */
export interface Doing { alive: boolean; passing: boolean }

/**
 * Decides when people who are standing or sitting are redrawn. `next` returns 0 for the next frame, a delay in ms, or
 * null to wait until something happens. An unchanged room is drawn less and less often, because constant drawing makes
 * fans audible.
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
    // A test's clock may go backwards.
    if (this.#fresh || now < this.#since) this.#since = now;
    this.#fresh = false;
    const age = now - this.#since, over = age >= (tier === 'high' ? sleepAfter : restAfter);
    this.#resting = over && !still && tier !== 'test';
    if (tier === 'test') return null;
    if (still || over) return doing.passing ? poseCheckInterval : null;
    if (doing.alive && age < restAfter) return 0;
    return tier === 'high' ? breath : doing.passing ? poseCheckInterval : null;
  }
}
