import type { ReadonlySignal } from '@preact/signals';
import type { ServerInfo } from '../contracts/protocol.gen.ts';
import type { Focus } from '../world/focus.ts';
import type { Say, Send } from '../world/send.ts';
import type { Settings } from '../world/settings.ts';
import type { Store } from '../world/store.ts';

/** How things stand with the server, as the overlay needs to know it. */
export interface LinkView {
  phase: 'connecting' | 'live' | 'stale' | 'refused' | 'offline';
  attempt: number;
  /** Local time of the next attempt. */
  retryAt: number | null;
  reason?: string;
  server?: ServerInfo;
}

/** What the overlay is given. It reads the world, shares the focus and asks through `send` and `say`. */
export interface OverlayDeps {
  store: Store;
  focus: Focus;
  settings: Settings;
  send: Send;
  say: Say;
  link: ReadonlySignal<LinkView>;
  /** There is no picture: the text view is all there is. */
  listOnly?: ReadonlySignal<boolean>;
  /** Why there is no picture, in words for the person. */
  noRoom?: ReadonlySignal<string | null>;
}
