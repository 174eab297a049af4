import { HEARTBEAT_INTERVAL_MS, HEARTBEAT_TIMEOUT_MS } from '../contracts/limits.gen.ts';

// How long an answer may take when there is reason to doubt the line.
const doubtTimeout = 3000;

/**
 * Pings while a connection lives and gives up after a silence. Each timer is set
 * by what arrives, not by another timer: browsers slow down chains of timers in
 * hidden tabs, and the server would think that nobody is there.
 */
export class Heartbeat {
  private timer: ReturnType<typeof setTimeout> | null = null;
  private heardAt = 0;
  private interval = HEARTBEAT_INTERVAL_MS;
  private timeout = HEARTBEAT_TIMEOUT_MS;
  private asked = false;

  constructor(
    private readonly now: () => number,
    private readonly ping: () => void,
    private readonly giveUp: () => void,
  ) {}

  start(): void {
    this.stop();
    this.heardAt = this.now();
    this.wait(this.interval);
  }

  /** What the server wants. */
  tune(interval: number, timeout: number): void {
    this.interval = Math.max(1000, interval);
    this.timeout = Math.max(this.interval + 1000, timeout);
  }

  /** Something arrived. */
  heard(pong: boolean): void {
    this.heardAt = this.now();
    if (!pong || !this.asked) return;
    this.asked = false;
    this.wait(this.interval);
  }

  /** There is reason to doubt the line: it answers soon or is given up. */
  doubt(): void {
    if (this.timer === null) return;
    this.asked = true;
    this.ping();
    clearTimeout(this.timer);
    // Only the pong counts: other messages may have been on their way before.
    this.timer = setTimeout(() => this.giveUp(), doubtTimeout);
  }

  /** True when the silence is too long: also after a sleep, when no timer ran. */
  silent(): boolean {
    return this.now() - this.heardAt >= this.timeout;
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.asked = false;
  }

  private wait(ms: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => this.beat(), ms);
  }

  private beat(): void {
    if (this.silent()) return this.giveUp();
    this.asked = true;
    this.ping();
    const left = this.heardAt + this.timeout - this.now();
    this.wait(Math.min(this.interval, left));
  }
}
