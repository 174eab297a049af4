import { signal, type Signal } from '@preact/signals';
import type { ServerInfo } from '../contracts/protocol.gen.ts';
import type { Say, Send } from '../world/send.ts';
import type { Store } from '../world/store.ts';

/**
 * How things stand with the server.
 * connecting: the first attempt; live: all is well; stale: it was live, the last state stays visible and commands
 * are frozen; offline: it was never live; refused: the server does not want us, no further attempt is made.
 */
export interface LinkState {
  phase: 'connecting' | 'live' | 'stale' | 'refused' | 'offline';
  /** Failed attempts in a row. */
  attempt: number;
  /** Local time (ms, Date.now) of the next attempt; null while one is under way or none is planned. */
  retryAt: number | null;
  /** In words, for the person. */
  reason?: string;
  server?: ServerInfo;
}

/** The connection to the office. */
export class Link {
  readonly state: Signal<LinkState> = signal({ phase: 'connecting', attempt: 0, retryAt: null });
  readonly send: Send = () => Promise.resolve({ ok: false, code: 'OFFLINE', message: 'Not connected yet.' });
  readonly say: Say = () => Promise.resolve({ ok: false, code: 'OFFLINE', message: 'Not connected yet.' });

  constructor(readonly store: Store) {}

  start(): void {}
  stop(): void {}
}
