import type { Vec3 } from '../contracts/protocol.gen.ts';
import type { Focus } from '../world/focus.ts';
import type { Send } from '../world/send.ts';
import type { Settings } from '../world/settings.ts';
import type { Store } from '../world/store.ts';

/** The dependencies of the room, which reads the store, shares the focus with the overlay, and sends commands. */
export interface RoomDeps {
  store: Store;
  focus: Focus;
  settings: Settings;
  send: Send;
  /** Returns server time in ms; by default the store's clock. Tests pass their own. */
  now?: () => number;
  /** Called when the WebGL context is lost (true) or restored (false). */
  onLost?: (lost: boolean) => void;
  /** Called when a room is drawn for the first time. */
  onDrawn?: () => void;
  /** Called when the floor is clicked. */
  onFloor?: (pos: Vec3) => void;
}
