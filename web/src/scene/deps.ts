import type { Vec3 } from '../contracts/protocol.gen.ts';
import type { Focus } from '../world/focus.ts';
import type { Send } from '../world/send.ts';
import type { Settings } from '../world/settings.ts';
import type { Store } from '../world/store.ts';

/** What the room is given. It reads the world, shares the focus and asks through `send`. */
export interface RoomDeps {
  store: Store;
  focus: Focus;
  settings: Settings;
  send: Send;
  /** Office time in milliseconds; the store's by default. Tests put their own clock here. */
  now?: () => number;
  /** The picture is gone (true) or back (false). */
  onLost?: (lost: boolean) => void;
  /** A room was drawn for the first time. */
  onDrawn?: () => void;
  /** The floor was clicked. */
  onFloor?: (pos: Vec3) => void;
}
