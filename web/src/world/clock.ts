// How long a best estimate counts, so that the clock follows a drift.
const window = 30_000;
// A step back this large is a corrected clock, not jitter: it is followed immediately.
const largeStep = 2_000;

/**
 * The server's clock, from the times on its fresh messages. The message that
 * travelled fastest tells most, so the least delay seen lately counts. It never
 * runs backwards except when the server's clock was corrected.
 */
export class ServerClock {
  private current: number | null = null;
  private previous: number | null = null;
  private since = 0;
  private last = 0;

  constructor(private readonly local: () => number) {}

  /** A message that was made just now on the server. */
  hear(ts: number): void {
    const here = this.local();
    const offset = ts - here;
    const known = this.offset();
    if (known !== null && here - this.since > window) {
      this.previous = this.current;
      this.current = null;
      this.since = here;
    }
    if (known === null || Math.abs(offset - known) > largeStep) {
      // First words, or another clock altogether.
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

  // A single late message is a slow network; several in a row are a clock that was set back.
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
