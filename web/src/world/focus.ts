import { signal, type Signal } from '@preact/signals';
import type { Vec3 } from '../contracts/protocol.gen.ts';
import type { Finale } from './finale.ts';

/** What a person can point at, in the room or in a list. */
export type Ref =
  | { kind: 'agent'; id: string }
  | { kind: 'task'; id: string }
  | { kind: 'artifact'; id: string }
  | { kind: 'decision'; id: string }
  | { kind: 'poi'; id: string }
  | { kind: 'decor'; id: string }
  | { kind: 'player'; id: string };

/** A part of the page, in CSS pixels. */
export interface Box { left: number; top: number; right: number; bottom: number }

/** A task card on its way to a person. */
export interface Drag { taskId: string; x: number; y: number; over: string | null }

/**
 * What the person attends to. Room and overlay share it and know nothing else of
 * each other: a click in either is the same selection.
 */
export class Focus {
  readonly selected: Signal<Ref | null> = signal(null);
  readonly hovered: Signal<Ref | null> = signal(null);
  /** The agent that the camera follows. */
  readonly follow: Signal<string | null> = signal(null);
  readonly drag: Signal<Drag | null> = signal(null);
  /** The panels that stay over the room for a while; the camera looks past them. */
  readonly panels: Signal<readonly Box[]> = signal([]);
  /** All cards that lie over the room now; names keep clear of them. */
  readonly cards: Signal<readonly Box[]> = signal([]);
  /** The camera shows a place rather than the whole room. */
  readonly near: Signal<boolean> = signal(false);
  /** A place that the camera should show, or the whole room; the room takes it and sets null. */
  readonly lookAt: Signal<Ref | Vec3 | 'room' | null> = signal(null);
  /** The project that was just completed; null once its card is closed. */
  readonly finale: Signal<Finale | null> = signal(null);
  /** A panel that the overlay should open; the overlay takes it and sets null. */
  readonly open: Signal<Ref | null> = signal(null);
}
