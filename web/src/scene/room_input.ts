import type { CameraRig } from './camera.ts';

/** Handlers for pointer input in the room. */
export interface Gestures {
  hover(x: number, y: number): void;
  leave(): void;
  click(x: number, y: number): void;
  doubleClick(x: number, y: number): void;
  /**
   * Returns the point (x, z) under the pointer, at the height of the camera's target, or undefined if there is none.
   */
  ground(x: number, y: number): readonly [number, number] | undefined;
  /** Called when the user moves the camera. Following stops, unless the camera only turned or zoomed (`turned`). */
  moved(turned: boolean): void;
  height(): number;
}

/** A press that moves farther than this, in pixels, is a drag. */
const dragThreshold = 5;
const wheelStep = 0.001;
const keyPan = 60;
/**
 * Dragging with the right button by this many pixels, or twisting two fingers by this angle, turns the room by one
 * step.
 */
const pullStep = 90;
const twistStep = Math.PI / 6;

/**
 * Translates pointer, wheel and keyboard input into camera moves and gestures. Returns a function that stops listening.
 */
export function listenRoom(canvas: HTMLElement, rig: CameraRig, g: Gestures): () => void {
  const off = new AbortController(), listen = { signal: off.signal };
  const fingers = new Map<number, { x: number; y: number }>();
  let travelled = 0, spread = 0, tilt = 0, twist = 0;
  /** A drag with the right button: its position, its length, and the part that has not turned the room yet. */
  let pull: { id: number; x: number; far: number; rest: number } | null = null, pulled = false;
  const turn = (rest: number, step: number): number => {
    const steps = Math.trunc(rest / step);
    if (steps !== 0) { rig.orbit(steps); g.moved(true); }
    return rest - steps * step;
  };
  const local = (e: MouseEvent) => { const r = canvas.getBoundingClientRect(); return { x: e.clientX - r.left, y: e.clientY - r.top }; };

  canvas.addEventListener('pointerdown', e => {
    pulled = false;
    if (e.button === 2) { pull = { id: e.pointerId, x: e.clientX, far: 0, rest: 0 }; canvas.setPointerCapture(e.pointerId); }
    if (e.button > 1) return;
    if (fingers.size === 0) travelled = 0;
    fingers.set(e.pointerId, local(e));
    spread = gapOf(fingers);
    tilt = tiltOf(fingers);
    twist = 0;
    canvas.setPointerCapture(e.pointerId);
  }, listen);
  canvas.addEventListener('pointermove', e => {
    if (pull?.id === e.pointerId) {
      pull.far += Math.abs(e.clientX - pull.x);
      pull.rest = turn(pull.rest + pull.x - e.clientX, pullStep);
      pull.x = e.clientX;
      pulled ||= pull.far >= dragThreshold;
      return;
    }
    const now = local(e), before = fingers.get(e.pointerId);
    if (!before) { if (e.pointerType !== 'touch') g.hover(now.x, now.y); return; }
    fingers.set(e.pointerId, now);
    const dx = now.x - before.x, dy = now.y - before.y;
    travelled += Math.hypot(dx, dy);
    if (travelled < dragThreshold) return;
    rig.pan(dx / fingers.size, dy / fingers.size, g.height());
    if (fingers.size === 2) {
      const next = gapOf(fingers);
      if (spread > 0 && next > 0) rig.zoom(spread / next, g.ground(now.x, now.y));
      spread = next;
      const leans = tiltOf(fingers);
      twist = turn(twist + Math.atan2(Math.sin(leans - tilt), Math.cos(leans - tilt)), twistStep);
      tilt = leans;
    }
    g.moved(false);
  }, listen);
  const lift = (e: PointerEvent) => {
    if (pull?.id === e.pointerId) { pull = null; return; }
    const held = fingers.delete(e.pointerId);
    spread = gapOf(fingers);
    tilt = tiltOf(fingers);
    const p = local(e);
    if (held && e.type === 'pointerup' && fingers.size === 0 && travelled < dragThreshold && e.button === 0) g.click(p.x, p.y);
  };
  canvas.addEventListener('pointerup', lift, listen);
  canvas.addEventListener('pointercancel', lift, listen);
  canvas.addEventListener('pointerleave', () => g.leave(), listen);
  canvas.addEventListener('dblclick', e => { const p = local(e); g.doubleClick(p.x, p.y); }, listen);
  // Suppress the menu after a drag too: some systems open it on button down, others on button up.
  canvas.addEventListener('contextmenu', e => { if (pull || pulled) e.preventDefault(); }, listen);
  canvas.addEventListener('wheel', e => {
    e.preventDefault();
    const p = local(e), lines = e.deltaMode === 1 ? 16 : 1;
    rig.zoom(Math.exp(Math.max(-400, Math.min(400, e.deltaY * lines)) * (e.ctrlKey ? wheelStep * 6 : wheelStep)), g.ground(p.x, p.y));
    g.moved(true);
  }, { passive: false, signal: off.signal });
  window.addEventListener('keydown', e => { if (roomKey(e, canvas)) press(e, rig, g); }, listen);
  return () => off.abort();
}

function gapOf(fingers: Map<number, { x: number; y: number }>): number {
  const [a, b] = [...fingers.values()];
  return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
}

/** Returns the angle of the line through two fingers, clockwise in radians, or 0 for fewer than two fingers. */
function tiltOf(fingers: Map<number, { x: number; y: number }>): number {
  const [a, b] = [...fingers.values()];
  return a && b ? Math.atan2(b.y - a.y, b.x - a.x) : 0;
}

/** Elements that handle letter or arrow keys themselves. */
const typing = 'input, textarea, select, [contenteditable]:not([contenteditable="false"]), dialog, [role="dialog"], [role="listbox"], [role="combobox"], [role="menu"], [role="region"], [role="log"]';

/** Reports whether the room may handle a key. It may not if a focused element, such as a text field, needs the key. */
function roomKey(e: KeyboardEvent, canvas: HTMLElement): boolean {
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || canvas.closest('[data-view="text"]')) return false;
  const active = document.activeElement;
  return active === null || active === document.body || (active.closest(typing) === null && !scrolls(active));
}

function scrolls(el: Element): boolean {
  if (el.scrollHeight <= el.clientHeight && el.scrollWidth <= el.clientWidth) return false;
  const { overflowX, overflowY } = getComputedStyle(el);
  return /auto|scroll/.test(`${overflowX} ${overflowY}`);
}

function press(e: KeyboardEvent, rig: CameraRig, g: Gestures): void {
  const pan = (dx: number, dy: number) => { rig.pan(dx * keyPan, dy * keyPan, g.height()); g.moved(false); };
  const act: Record<string, () => void> = {
    q: () => { rig.orbit(-1); g.moved(true); }, e: () => { rig.orbit(1); g.moved(true); },
    ArrowLeft: () => pan(1, 0), ArrowRight: () => pan(-1, 0), ArrowUp: () => pan(0, 1), ArrowDown: () => pan(0, -1),
    '+': () => { rig.zoom(0.8); g.moved(true); }, '=': () => { rig.zoom(0.8); g.moved(true); }, '-': () => { rig.zoom(1.25); g.moved(true); },
    Home: () => { rig.home(); g.moved(false); }, '0': () => { rig.home(); g.moved(false); },
  };
  const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
  if (!Object.hasOwn(act, key)) return;
  act[key]!();
  e.preventDefault();
}
