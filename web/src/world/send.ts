import type { CommandName, ErrorCode, Result } from '../contracts/protocol.gen.ts';

/** The answer to a command. The client itself returns OFFLINE if the server does not answer. */
export type CommandReply =
  | { ok: true; seq?: number; result?: Result; duplicate?: boolean }
  | { ok: false; code: ErrorCode | 'OFFLINE'; message: string; field?: string; retry_after_ms?: number };

/** Sends a command. The promise never rejects: a refusal is an answer too. */
export type Send = (name: CommandName, data: object) => Promise<CommandReply>;

/** Sends a chat message to a thread: bd_main, or agent:<agent_id>. */
export type Say = (threadId: string, text: string) => Promise<CommandReply>;
