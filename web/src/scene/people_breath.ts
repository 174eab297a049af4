import type { Tier } from './quality.ts';

/** After so many milliseconds without a change the room is a still picture. */
export const restAfter = 10_000;
/** People who only breathe are drawn this often, in milliseconds. */
const breath = 66;
/** A passing pose is looked at again after so long, in milliseconds. */
const glance = 1000;

/** What the people do: a pose that moves by itself, a pose that ends by itself. */
export interface Doing { alive: boolean; passing: boolean }

/**
 * Says when people who stand or sit are drawn again: 0 with the next frame, a number
 * of milliseconds, or null for not until something happens. Nobody watches a room for
 * long in which nothing changes, and a fan that never stops is heard.
 */
export class Breath {
  #fresh = true;
  #since = 0;
  #resting = false;

  /** Something changed; true when the room rests because nothing did. */
  stir(): boolean {
    this.#fresh = true;
    return this.#resting;
  }

  next(now: number, tier: Tier, still: boolean, doing: Doing): number | null {
    // Time may be set back by a test's clock.
    if (this.#fresh || now < this.#since) this.#since = now;
    this.#fresh = false;
    const over = now - this.#since >= restAfter;
    const wait = tier === 'test' ? null : still || over ? (doing.passing ? glance : null) : doing.alive ? 0 : doing.passing ? glance : tier === 'low' ? null : breath;
    this.#resting = over && !still && tier !== 'test';
    return wait;
  }
}
