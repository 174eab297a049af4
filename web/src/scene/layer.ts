import type { Group, Material, PerspectiveCamera, Raycaster, Scene, Vector3, WebGLRenderer } from 'three';
import type { SceneManifest, Vec3 } from '../contracts/protocol.gen.ts';
import type { Box, Ref } from '../world/focus.ts';
import type { LampUniforms } from './lampmap.ts';
import type { Quality } from './quality.ts';
import type { ScreenPicture } from './screen_picture.ts';

/** An object under the pointer. */
export interface Hit {
  ref: Ref;
  distance: number;
  point: Vector3;
  /** True for an object that belongs to a person but is not the person. */
  aside?: true;
}

/**
 * One part of the room. A layer owns a group and never renders by itself. `update` receives the server time in ms and
 * the seconds since the last frame, and returns whether anything is still moving; if nothing is, no new frame is drawn.
 */
export interface Layer {
  readonly group: Group;
  update(now: number, dt: number): boolean;
  /** Returns everything that the ray hits, in any order. */
  pick?(ray: Raycaster): Hit[];
  /** Called when the floor is clicked at a point without furniture or people. */
  floor?(pos: Vec3): void;
  dispose(): void;
}

/** The look of a surface; the quality decides the kind of material. */
export interface Surface {
  color?: string;
  vertexColors?: boolean;
  roughness?: number;
  metalness?: number;
  transparent?: boolean;
  opacity?: number;
  flatShading?: boolean;
}

/** A point on the canvas in CSS pixels; `visible` is false if the point is behind the camera or off the canvas. */
export interface Screen { x: number; y: number; visible: boolean }

/** The state that layers share. The room owns it; layers read it and request frames. */
export interface Stage {
  readonly scene: Scene;
  readonly camera: PerspectiveCamera;
  readonly renderer: WebGLRenderer;
  readonly quality: Quality;
  /** The manifest of the house, with the places of the whole campus; replaced when a studio opens or closes. */
  readonly manifest: SceneManifest;
  /** How dark it is: 0 by day, 1 by night. */
  readonly night: number;
  /** The baked light of lamps. */
  readonly lamps: LampUniforms;
  /** True with reduced motion: objects jump instead of gliding. */
  readonly still: boolean;
  /** The walls between the camera and the room, which are not drawn. */
  readonly hidden: { readonly back: boolean; readonly left: boolean };
  /** True while the camera shows so much that people are too small for names. */
  readonly distant: boolean;
  /** The boxes of the strips shown for rooms; labels avoid them. */
  strips: readonly Box[];
  /** The size of the canvas in CSS pixels. */
  readonly size: { readonly width: number; readonly height: number };
  /** Requests a frame. */
  invalidate(): void;
  /** Requests new shadows after something that casts a shadow has moved; also requests a frame. */
  castersMoved(): void;
  /** Reports whether a point is on a floor or on the ground of the campus. */
  walkable(x: number, z: number): boolean;
  project(v: Vec3): Screen;
  /** Returns a lit material (standard or Lambert) for the current quality; the caller disposes of it. */
  material(surface: Surface): Material;
  /** The pictures on screens, by place; places that are not listed show the screen saver. */
  screens: ReadonlyMap<string, ScreenPicture>;
  /** Sets the picture on the screens of a place. */
  setScreen(poiId: string, picture: ScreenPicture): void;
  /** Switches the lamps of a place on or off. */
  setLamp(poiId: string, on: boolean): void;
}

