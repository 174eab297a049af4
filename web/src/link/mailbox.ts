import type { Ack, ErrorPayload } from '../contracts/protocol.gen.ts';
import type { CommandReply } from '../world/send.ts';

interface Letter {
  text: string;
  answer: (reply: CommandReply) => void;
}

/**
 * Commands on their way. What was sent and not answered when the line broke is
 * sent again with the same id, which the server carries out once (W10).
 */
export class Mailbox {
  private readonly open = new Map<string, Letter>();

  /** Keeps a letter until its answer comes. */
  keep(id: string, text: string): Promise<CommandReply> {
    return new Promise((answer) => this.open.set(id, { text, answer }));
  }

  /** Takes an answer in; false when nobody waits for it. */
  answered(reply: Ack | ErrorPayload): boolean {
    const letter = this.open.get(reply.in_reply_to);
    this.open.delete(reply.in_reply_to);
    letter?.answer(toReply(reply));
    return letter !== undefined;
  }

  /** What waits, in the order it was sent. */
  unanswered(): readonly string[] {
    return Array.from(this.open.values(), (letter) => letter.text);
  }

  /** Gives everything up. */
  giveUp(message: string): void {
    const letters = [...this.open.values()];
    this.open.clear();
    for (const letter of letters) letter.answer(offline(message));
  }
}

export function offline(message: string): CommandReply {
  return { ok: false, code: 'OFFLINE', message };
}

function toReply(reply: Ack | ErrorPayload): CommandReply {
  if ('status' in reply) {
    const { seq, result, duplicate } = reply;
    return { ok: true, ...(seq !== undefined && { seq }), ...(result && { result }), ...(duplicate && { duplicate }) };
  }
  const { code, message, field, retry_after_ms } = reply;
  return { ok: false, code, message, ...(field && { field }), ...(retry_after_ms !== undefined && { retry_after_ms }) };
}
