import type { Group, Material, PerspectiveCamera, Raycaster, Scene, Vector3, WebGLRenderer } from 'three';
import type { SceneManifest, Vec3 } from '../contracts/protocol.gen.ts';
import type { Ref } from '../world/focus.ts';
import type { Quality } from './quality.ts';
import type { Show } from './screen_show.ts';

/** Something under the pointer. Furniture (`poi`) loses against everything else. */
export interface Hit { ref: Ref; distance: number; point: Vector3 }

/**
 * One part of the room: it owns a group and draws nothing by itself. `update` gets
 * office time in milliseconds and the seconds since the last frame, and says
 * whether it still moves; a room in which nothing moves is not drawn.
 */
export interface Layer {
  readonly group: Group;
  update(now: number, dt: number): boolean;
  /** What the ray meets, in any order. */
  pick?(ray: Raycaster): Hit[];
  /** The floor was clicked, free of furniture and people. */
  floor?(pos: Vec3): void;
  dispose(): void;
}

/** What a surface looks like; the quality decides the kind of material. */
export interface Surface {
  color?: string;
  vertexColors?: boolean;
  roughness?: number;
  metalness?: number;
  transparent?: boolean;
  opacity?: number;
  flatShading?: boolean;
}

/** A point on the page in CSS pixels; not visible means behind the eye or off the canvas. */
export interface Screen { x: number; y: number; visible: boolean }

/** What the layers share. The room owns it; layers read it and ask for frames. */
export interface Stage {
  readonly scene: Scene;
  readonly camera: PerspectiveCamera;
  readonly renderer: WebGLRenderer;
  readonly quality: Quality;
  readonly manifest: SceneManifest;
  /** 0 by day, 1 by night. */
  readonly night: number;
  /** True when things should jump instead of glide. */
  readonly still: boolean;
  /** The walls that stand between the eye and the room, and are not drawn. */
  readonly hidden: { readonly back: boolean; readonly left: boolean };
  /** CSS size of the canvas. */
  readonly size: { readonly width: number; readonly height: number };
  /** Asks for a frame. */
  invalidate(): void;
  /** Says that something that casts a shadow has moved; asks for a frame too. */
  castersMoved(): void;
  project(v: Vec3): Screen;
  /** A lit material (standard or Lambert) for the current quality; the owner disposes it. */
  material(surface: Surface): Material;
  /** What the screens of a place show. */
  setScreen(poiId: string, show: Show): void;
  /** Switches the lamps of a place. */
  setLamp(poiId: string, on: boolean): void;
}

