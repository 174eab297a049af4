import { effect } from '@preact/signals';
import type { SceneManifest, Vec3 } from '../contracts/protocol.gen.ts';
import type { RoomDeps } from './deps.ts';
import { nightFor, paintHour } from './night.ts';
import type { Chosen } from './quality.ts';
import { openRenderer, type Opened } from './renderer.ts';
import { RoomScene, type RoomInfo } from './room_scene.ts';

export type { RoomDeps } from './deps.ts';
export type { RoomInfo } from './room_scene.ts';

/** The mounted room. `step` stops the clock and advances it by `ms` milliseconds, for tests. */
export interface Room {
  readonly ok: true;
  step(ms: number): void;
  frames(): number;
  info(): RoomInfo | null;
  /** Returns where a point is drawn on the canvas, or null while there is no room. */
  project(at: Vec3): { x: number; y: number } | null;
  /** Rotates the camera in steps of 45°. */
  orbit(steps: number): void;
  zoom(factor: number): void;
  home(): void;
  dispose(): void;
}

export interface NoRoom { readonly ok: false; readonly reason: string }

/**
 * Draws the office on a canvas and its labels in an element, and keeps both in sync with the store. It draws only
 * when something has changed. Without WebGL it returns the reason and mounts nothing.
 */
export function mountRoom(canvas: HTMLCanvasElement, labels: HTMLElement, deps: RoomDeps): Room | NoRoom {
  paintHour(document.documentElement, nightFor(deps.settings.theme.peek(), new Date()));
  const opened = openRenderer(canvas, deps.settings.quality.peek());
  if (!opened) return { ok: false, reason: 'This browser cannot draw in 3D (WebGL is unavailable or turned off).' };
  return new MountedRoom(canvas, labels, deps, opened);
}

class MountedRoom implements Room {
  readonly ok = true;
  #scene: RoomScene | null = null;
  #frames = 0;
  #off: (() => void)[] = [];

  constructor(readonly canvas: HTMLCanvasElement, readonly labels: HTMLElement, readonly deps: RoomDeps, readonly opened: Opened) {
    this.#off.push(effect(() => {
      const manifest = deps.store.scene.value, set = deps.settings.quality.value;
      if (!manifest) return;
      // Wait, so that several simultaneous changes build only one room.
      const timer = setTimeout(() => this.#build(manifest, opened.choose(set)), 0);
      return () => clearTimeout(timer);
    }));
    const lost = (e: Event) => { e.preventDefault(); this.#scene?.pause(); deps.onLost?.(true); };
    const back = () => { this.#scene?.resume(); deps.onLost?.(false); };
    canvas.addEventListener('webglcontextlost', lost);
    canvas.addEventListener('webglcontextrestored', back);
    this.#off.push(() => { canvas.removeEventListener('webglcontextlost', lost); canvas.removeEventListener('webglcontextrestored', back); });
  }

  #build(manifest: SceneManifest, chosen: Chosen): void {
    const before = this.#scene;
    if (before) { this.#frames += before.frames; before.dispose(); }
    this.#scene = new RoomScene(this.canvas, this.labels, this.deps, this.opened.renderer, manifest, chosen, before?.rig);
  }

  step(ms: number): void { this.#scene?.step(ms); }
  frames(): number { return this.#frames + (this.#scene?.frames ?? 0); }
  info(): RoomInfo | null { return this.#scene?.info() ?? null; }
  project(at: Vec3): { x: number; y: number } | null { return this.#scene?.stage.project(at) ?? null; }
  orbit(steps: number): void { this.#scene?.move(rig => rig.orbit(steps)); }
  zoom(factor: number): void { this.#scene?.move(rig => rig.zoom(factor)); }
  home(): void { this.#scene?.move(rig => rig.home()); }

  dispose(): void {
    for (const off of this.#off) off();
    this.#scene?.dispose();
    this.opened.renderer.dispose();
  }
}
