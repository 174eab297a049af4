import type { CommandReply } from '../world/send.ts';

// Half of what the server allows.
const every = 200;

/** Reports where the person stands, at most five times a second; of what comes faster the newest counts. */
export class Footsteps {
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

  /** Tells it once more: a server that was away has forgotten. */
  again(): void {
    if (this.last) void this.report(this.last);
  }

  private flush(): void {
    this.timer = null;
    const next = this.next;
    this.next = null;
    if (next) void this.report(next.data).then(next.answer);
  }
}
