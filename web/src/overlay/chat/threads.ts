import { AGENT_THREAD_PX, THREAD_BD, USER_ID } from '../../contracts/limits.gen.ts';
import type { AgentView, ChatRow } from '../../world/store.ts';
import { nameOf } from '../agent/name.ts';
import * as say from '../../contracts/words.gen.ts';

export const agentThread = (agentId: string): string => `${AGENT_THREAD_PX}${agentId}`;

/** Returns the office's own thread, then every other thread with messages. */
export function threads(chats: readonly ChatRow[]): readonly string[] {
  return [...new Set([THREAD_BD, ...chats.map((c) => c.thread_id)])];
}

export function threadName(thread: string, agents: readonly AgentView[]): string {
  if (thread === THREAD_BD) return say.theOffice;
  if (thread.startsWith(AGENT_THREAD_PX)) return nameOf(agents, thread.slice(AGENT_THREAD_PX.length));
  return thread;
}

/** Counts unread messages in one thread or in all threads; history and the user's own messages count as read. */
export function unread(chats: readonly ChatRow[], seen: ReadonlyMap<string, number>, thread?: string): number {
  return chats.filter(
    (c) => (thread === undefined || c.thread_id === thread) && c.from !== USER_ID && !c.replay && c.seq > (seen.get(c.thread_id) ?? 0),
  ).length;
}
