/** Draws one frame; returns true to request another. */
export type Draw = (time: number, first: boolean) => boolean;

/**
 * Draws frames on demand: it sleeps until invalidate is called, runs while `draw` requests more frames, and never
 * runs in a hidden tab.
 */
export class Loop {
  #handle = 0;
  #dirty = false;
  #running = false;
  #last = 0;
  #alive = false;

  /** `gap` is the shortest time between two frames, in ms. */
  constructor(readonly draw: Draw, public gap = 0) {}

  start(): void {
    if (this.#alive) return;
    this.#alive = true;
    document.addEventListener('visibilitychange', this.#seen);
    this.invalidate();
  }

  stop(): void {
    this.#alive = false;
    this.#sleep();
    document.removeEventListener('visibilitychange', this.#seen);
  }

  invalidate(): void { this.#dirty = true; this.#wake(); }

  #seen = (): void => { if (document.hidden) this.#sleep(); else this.invalidate(); };

  #wake(): void { if (this.#alive && this.#handle === 0 && !document.hidden) this.#handle = requestAnimationFrame(this.#tick); }

  #sleep(): void {
    cancelAnimationFrame(this.#handle);
    this.#handle = 0;
    this.#running = false;
  }

  #tick = (time: number): void => {
    this.#handle = 0;
    if (this.#running && time - this.#last < this.gap - 2) { this.#wake(); return; }
    const first = !this.#running;
    this.#running = true;
    this.#last = time;
    this.#dirty = false;
    const more = this.draw(time, first);
    if (more || this.#dirty) this.#wake(); else this.#running = false;
  };
}
