import { HEARTBEAT_INTERVAL_MS, HEARTBEAT_TIMEOUT_MS } from '../contracts/limits.gen.ts';

// How long to wait for a probe's pong, in ms.
const probeTimeout = 3000;

/**
 * Pings an open connection and gives up when nothing arrives. Each pong starts the timer for the next ping, because
 * browsers throttle chains of timers in hidden tabs, and the server would then close the connection.
 */
export class Heartbeat {
  private timer: ReturnType<typeof setTimeout> | null = null;
  private receivedAt = 0;
  private interval = HEARTBEAT_INTERVAL_MS;
  private timeout = HEARTBEAT_TIMEOUT_MS;
  private pinged = false;

  constructor(
    private readonly now: () => number,
    private readonly ping: () => void,
    private readonly giveUp: () => void,
  ) {}

  start(): void {
    this.stop();
    this.receivedAt = this.now();
    this.wait(this.interval);
  }

  /** Sets the interval and timeout that the server requests. */
  tune(interval: number, timeout: number): void {
    this.interval = Math.max(1000, interval);
    this.timeout = Math.max(this.interval + 1000, timeout);
  }

  /** Records that a message arrived; a pong that answers a ping also schedules the next ping. */
  received(pong: boolean): void {
    this.receivedAt = this.now();
    if (!pong || !this.pinged) return;
    this.pinged = false;
    this.wait(this.interval);
  }

  /** Pings immediately, and gives up unless the pong arrives within probeTimeout. */
  probe(): void {
    if (this.timer === null) return;
    this.pinged = true;
    this.ping();
    clearTimeout(this.timer);
    // Only a pong counts: other messages may already have been in flight.
    this.timer = setTimeout(() => this.giveUp(), probeTimeout);
  }

  /** Reports whether the connection timed out, even if the machine slept and no timer ran. */
  timedOut(): boolean {
    return this.now() - this.receivedAt >= this.timeout;
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.pinged = false;
  }

  private wait(ms: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => this.beat(), ms);
  }

  private beat(): void {
    if (this.timedOut()) return this.giveUp();
    this.pinged = true;
    this.ping();
    const left = this.receivedAt + this.timeout - this.now();
    this.wait(Math.min(this.interval, left));
  }
}
