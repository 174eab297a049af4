import type { Ref } from '../world/focus.ts';
import type { Attention } from './attention.ts';
import type { RoomDeps } from './deps.ts';
import type { Gestures } from './room_input.ts';
import type { Layer } from './layer.ts';
import type { Picker } from './pick.ts';

/** Turns pointer input into actions: hover, select, open, walk, look at, follow. */
export class Pointer implements Gestures {
  #due = 0;
  #at = { x: 0, y: 0 };

  constructor(readonly picker: Picker, readonly attention: Attention, readonly layers: readonly Layer[], readonly deps: RoomDeps, readonly canvas: HTMLElement, readonly nearest: (x: number, y: number) => string | null, readonly wake: () => void) {}

  /** Updates the hovered object, at most once per frame because a mouse reports far more often. */
  hover(x: number, y: number): void {
    this.#at = { x, y };
    if (this.#due === 0) this.#due = requestAnimationFrame(() => { this.#due = 0; this.#setHover(this.picker.at(this.#at.x, this.#at.y)?.ref ?? null); });
  }

  leave(): void { this.#setHover(null); }

  #setHover(ref: Ref | null): void {
    const before = this.deps.focus.hovered.peek();
    this.canvas.style.cursor = ref ? 'pointer' : '';
    if (before?.kind === ref?.kind && before?.id === ref?.id) return;
    this.deps.focus.hovered.value = ref;
    this.wake();
  }

  click(x: number, y: number): void {
    const { focus } = this.deps, hit = this.picker.at(x, y);
    if (hit?.ref.kind === 'cat') { focus.petted.value = { cat: hit.ref.id }; return; }
    if (hit) { focus.selected.value = hit.ref; focus.open.value = hit.ref; return; }
    focus.selected.value = null;
    const pos = this.picker.floor(x, y);
    if (!pos) return;
    this.deps.onFloor?.(pos);
    for (const layer of this.layers) layer.floor?.(pos);
    this.wake();
  }

  doubleClick(x: number, y: number): void {
    const hit = this.picker.at(x, y), pos = hit ? null : this.picker.floor(x, y);
    if (hit?.ref.kind === 'agent') this.deps.focus.follow.value = hit.ref.id;
    else if (hit ?? pos) this.attention.show(hit?.ref ?? pos!);
    this.wake();
  }

  /**
   * Sets the agent that would receive the dragged card: the agent under the pointer, or else the nearest crew member.
   * Does not wait for a frame, because the agent must be correct when the card is dropped.
   */
  updateDropTarget(): void {
    const { focus } = this.deps, drag = focus.drag.peek();
    if (!drag) return;
    const r = this.canvas.getBoundingClientRect(), x = drag.x - r.left, y = drag.y - r.top;
    const over = x < 0 || y < 0 || x > r.width || y > r.height ? null : this.picker.at(x, y, 'agent')?.ref.id ?? this.nearest(x, y);
    if (over !== drag.over) focus.drag.value = { ...drag, over };
  }

  ground(x: number, y: number): readonly [number, number] | undefined {
    const p = this.picker.ground(x, y, this.attention.rig.goal.y);
    return p ? [p[0], p[2]] : undefined;
  }

  moved(turned: boolean): void {
    if (!turned) this.attention.release();
    this.wake();
  }

  height(): number { return this.picker.stage.size.height; }
  dispose(): void { cancelAnimationFrame(this.#due); }
}
