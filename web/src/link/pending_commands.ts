import type { Ack, ErrorPayload } from '../contracts/protocol.gen.ts';
import type { CommandReply } from '../world/send.ts';

interface Pending {
  text: string;
  answer: (reply: CommandReply) => void;
}

/**
 * The commands that have no answer yet. After a reconnect they are sent again with the same
 * id, and the server executes each command only once (W10).
 */
export class PendingCommands {
  private readonly open = new Map<string, Pending>();

  /** Stores a command; the promise resolves with its answer. */
  keep(id: string, text: string): Promise<CommandReply> {
    return new Promise((answer) => this.open.set(id, { text, answer }));
  }

  /** Resolves the command that reply answers; returns false if there is none. */
  resolve(reply: Ack | ErrorPayload): boolean {
    const pending = this.open.get(reply.in_reply_to);
    this.open.delete(reply.in_reply_to);
    pending?.answer(toReply(reply));
    return pending !== undefined;
  }

  /** Returns the texts of the stored commands, in the order in which the commands were sent. */
  unanswered(): readonly string[] {
    return Array.from(this.open.values(), (pending) => pending.text);
  }

  /** Resolves all stored commands with OFFLINE and a message. */
  giveUp(message: string): void {
    const all = [...this.open.values()];
    this.open.clear();
    for (const pending of all) pending.answer(offline(message));
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
