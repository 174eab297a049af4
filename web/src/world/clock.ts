// How long the best estimate is used, in ms; then a new one replaces it, so that the clock follows drift.
const estimateWindow = 30_000;
// A difference larger than this, in ms, is not jitter: the server's clock was corrected, or a message is late.
const largeStep = 2_000;

/**
 * Estimates the server's clock from the timestamps of fresh messages. The message with
 * the smallest delay is the most accurate, so the smallest recent delay is used. The
 * clock never runs backwards unless the server's clock was corrected.
 */
export class ServerClock {
  private current: number | null = null;
  private previous: number | null = null;
  private since = 0;
  private last = 0;

  constructor(private readonly local: () => number) {}

  /** Updates the estimate with the timestamp of a message that the server has just created. */
  observe(ts: number): void {
    const here = this.local();
    const offset = ts - here;
    const known = this.offset();
    if (known !== null && here - this.since > estimateWindow) {
      this.previous = this.current;
      this.current = null;
      this.since = here;
    }
    if (known === null || Math.abs(offset - known) > largeStep) {
      // The first timestamp, or the server's clock was corrected.
      if (known === null || offset > known || this.late++ > 2) this.restart(offset, here);
      return;
    }
    this.late = 0;
    this.current = this.current === null ? offset : Math.max(this.current, offset);
  }

  now(): number {
    this.last = Math.max(this.last, this.local() + (this.offset() ?? 0));
    return this.last;
  }

  // A single late message means a slow network; several in a row mean that the clock was set back.
  private late = 0;

  private offset(): number | null {
    if (this.current === null) return this.previous;
    return this.previous === null ? this.current : Math.max(this.current, this.previous);
  }

  private restart(offset: number, here: number): void {
    this.current = offset;
    this.previous = null;
    this.since = here;
    this.last = 0;
    this.late = 0;
  }
}
