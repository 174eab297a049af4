import { signal, type Signal } from '@preact/signals';
import type { Vec3 } from '../contracts/protocol.gen.ts';
import type { Finale } from './finale.ts';

/** A reference to something that can be selected, in the room or in a list. */
export type Ref =
  | { kind: 'agent'; id: string }
  | { kind: 'task'; id: string }
  | { kind: 'artifact'; id: string }
  | { kind: 'decision'; id: string }
  | { kind: 'poi'; id: string }
  | { kind: 'decor'; id: string }
  | { kind: 'player'; id: string }
  | { kind: 'cat'; id: string };

/** A target of the camera: an object, a point, a room of the campus ("" for the house), or everything. */
export type Target = Ref | Vec3 | { kind: 'studio'; id: string } | 'room';

/** How much the camera shows: everything, roughly one room, or roughly one person. */
export type ZoomLevel = 'campus' | 'studio' | 'person';

/** A rectangle on the page, in CSS pixels. */
export interface Box { left: number; top: number; right: number; bottom: number }

/** A task card being dragged; `over` is the agent that would get it, or null. */
export interface Drag { taskId: string; x: number; y: number; over: string | null }

/**
 * The user's current selection and view, which the room and the overlay share, so that a click in either selects the
 * same object.
 */
export class Focus {
  readonly selected: Signal<Ref | null> = signal(null);
  readonly hovered: Signal<Ref | null> = signal(null);
  /** The agent that the camera follows. */
  readonly follow: Signal<string | null> = signal(null);
  readonly drag: Signal<Drag | null> = signal(null);
  /** The panels that always cover part of the room; the camera centres the room between them. */
  readonly panels: Signal<readonly Box[]> = signal([]);
  /** All cards over the room; name labels avoid them. */
  readonly cards: Signal<readonly Box[]> = signal([]);
  /** True while the camera shows only part of the room. */
  readonly near: Signal<boolean> = signal(false);
  /** The object, place or whole room that the camera should move to; the 3D view resets this to null. */
  readonly lookAt: Signal<Target | null> = signal(null);
  /** How much the camera shows. */
  readonly zoomLevel: Signal<ZoomLevel> = signal('studio');
  /** The room that the camera shows: "" for the house, null for all. */
  readonly room: Signal<string | null> = signal(null);
  /** The project that was just completed; null after its card is closed. */
  readonly finale: Signal<Finale | null> = signal(null);
  /** The cat that was petted last; a new object each time. */
  readonly petted: Signal<{ cat: string } | null> = signal(null);
  /** The object whose panel the overlay should open; the overlay resets this to null. */
  readonly open: Signal<Ref | null> = signal(null);
  /** A message for the user about what the room could not do; the overlay shows it and resets this to null. */
  readonly roomError: Signal<string | null> = signal(null);
}
