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
  | { kind: 'player'; id: string };

/** A rectangle of the page, in CSS pixels. */
export interface Box { left: number; top: number; right: number; bottom: number }

/** A task card that is being dragged to a person. */
export interface Drag { taskId: string; x: number; y: number; over: string | null }

/**
 * The person's current selection and view. It is all that room and overlay share:
 * a click in either is the same selection.
 */
export class Focus {
  readonly selected: Signal<Ref | null> = signal(null);
  readonly hovered: Signal<Ref | null> = signal(null);
  /** The agent that the camera follows. */
  readonly follow: Signal<string | null> = signal(null);
  readonly drag: Signal<Drag | null> = signal(null);
  /** The panels that cover part of the room permanently; the camera centres the room between them. */
  readonly panels: Signal<readonly Box[]> = signal([]);
  /** All cards over the room; name labels avoid them. */
  readonly cards: Signal<readonly Box[]> = signal([]);
  /** True while the camera shows a place, not the whole room. */
  readonly near: Signal<boolean> = signal(false);
  /** A place that the camera should show, or the whole room; the room resets it to null. */
  readonly lookAt: Signal<Ref | Vec3 | 'room' | null> = signal(null);
  /** The project that was just completed; null after its card is closed. */
  readonly finale: Signal<Finale | null> = signal(null);
  /** A panel that the overlay should open; the overlay resets it to null. */
  readonly open: Signal<Ref | null> = signal(null);
}
