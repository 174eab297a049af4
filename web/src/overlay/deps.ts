import type { ReadonlySignal } from '@preact/signals';
import type { ServerInfo } from '../contracts/protocol.gen.ts';
import type { Focus } from '../world/focus.ts';
import type { Say, Send } from '../world/send.ts';
import type { Settings } from '../world/settings.ts';
import type { Store } from '../world/store.ts';

/** The part of the connection's state that the overlay uses. */
export interface LinkView {
  phase: 'connecting' | 'live' | 'stale' | 'refused' | 'offline';
  attempt: number;
  /** Local time of the next attempt. */
  retryAt: number | null;
  reason?: string;
  server?: ServerInfo;
}

/** What the overlay needs: it reads the store, shares the focus with the room, and sends commands and messages. */
export interface OverlayDeps {
  store: Store;
  focus: Focus;
  settings: Settings;
  send: Send;
  say: Say;
  link: ReadonlySignal<LinkView>;
  /** True if there is no 3D view, so only the text view is available. */
  listOnly?: ReadonlySignal<boolean>;
  /** Why there is no 3D view, as shown to the user; null if there is one. */
  noRoom?: ReadonlySignal<string | null>;
}
