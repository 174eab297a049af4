import { signal, type Signal } from '@preact/signals';
import type { Vec3 } from '../contracts/protocol.gen.ts';

/** What a person can point at, in the room or in a list. */
export type Ref =
  | { kind: 'agent'; id: string }
  | { kind: 'task'; id: string }
  | { kind: 'artifact'; id: string }
  | { kind: 'decision'; id: string }
  | { kind: 'poi'; id: string }
  | { kind: 'decor'; id: string }
  | { kind: 'player'; id: string };

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
  /** How many CSS pixels of the room lie under a panel at the right; the camera looks past it. */
  readonly covered: Signal<number> = signal(0);
  /** A place that the camera should show; the room takes it and sets null. */
  readonly lookAt: Signal<Ref | Vec3 | null> = signal(null);
  /** A panel that the overlay should open; the overlay takes it and sets null. */
  readonly open: Signal<Ref | null> = signal(null);
}
