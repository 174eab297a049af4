import type { CommandReply } from '../world/send.ts';

// The minimum time between reports in ms; the server would accept reports twice as often.
const every = 200;

/** Reports the player's position at most five times a second; if reports come faster, only the newest is sent. */
export class PositionReports {
  private next: { data: object; answer: (reply: CommandReply) => void } | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private last: object | null = null;

  constructor(private readonly post: (data: object) => Promise<CommandReply>) {}

  report(data: object): Promise<CommandReply> {
    this.last = data;
    if (this.timer === null) {
      this.timer = setTimeout(() => this.flush(), every);
      return this.post(data);
    }
    this.next?.answer({ ok: true });
    return new Promise((answer) => (this.next = { data, answer }));
  }

  /** Reports the last position again, because a restarted server has lost it. */
  resend(): void {
    if (this.last) void this.report(this.last);
  }

  private flush(): void {
    this.timer = null;
    const next = this.next;
    this.next = null;
    if (next) void this.report(next.data).then(next.answer);
  }
}
