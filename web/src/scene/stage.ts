import * as T from 'three';
import type { Box } from '../world/focus.ts';
import type { SceneManifest, Vec3 } from '../contracts/protocol.gen.ts';
import { lampUniforms } from './lampmap.ts';
import type { Screen, Stage, Surface } from './layer.ts';
import { quality, stepDown, type Quality } from './quality.ts';
import type { ScreenPicture } from './screen_picture.ts';

/** The implementation of Stage. Only the room may change it; layers see only the interface. */
export class RoomStage implements Stage {
  readonly scene = new T.Scene();
  readonly camera: T.PerspectiveCamera;
  quality: Quality = quality('high');
  night = 0;
  readonly lamps = lampUniforms();
  still = false;
  hidden = { back: false, left: false };
  distant = false;
  strips: readonly Box[] = [];
  size = { width: 1, height: 1 };
  /** True if the shadow map is out of date. */
  castersDirty = true;
  #shadowAt = -Infinity;
  readonly #v = new T.Vector3();

  constructor(public manifest: SceneManifest, readonly renderer: T.WebGLRenderer, readonly wake: () => void) {
    this.camera = new T.PerspectiveCamera(manifest.ambience.fov, 1, 1, 320);
  }

  screens: ReadonlyMap<string, ScreenPicture> = new Map();
  setScreen: (poiId: string, picture: ScreenPicture) => void = () => {};
  setLamp: (poiId: string, on: boolean) => void = () => {};
  readonly inHouse = (x: number, z: number): boolean => Math.abs(x) < this.manifest.room.w / 2 && Math.abs(z) < this.manifest.room.d / 2;
  walkable: (x: number, z: number) => boolean = this.inHouse;
  invalidate(): void { this.wake(); }
  castersMoved(): void { this.castersDirty = true; this.wake(); }

  project(v: Vec3): Screen {
    const p = this.#v.set(v[0], v[1], v[2]).project(this.camera);
    return { x: ((p.x + 1) / 2) * this.size.width, y: ((1 - p.y) / 2) * this.size.height, visible: p.z > -1 && p.z < 1 && Math.abs(p.x) <= 1 && Math.abs(p.y) <= 1 };
  }

  material(surface: Surface): T.Material {
    if (this.quality.lit === 'standard') return new T.MeshStandardMaterial(surface);
    const { roughness: _r, metalness: _m, ...rest } = surface;
    return new T.MeshLambertMaterial(rest);
  }

  /** Sets up the renderer for a quality level. */
  setQuality(q: Quality): void {
    this.quality = q;
    const map = this.renderer.shadowMap;
    map.enabled = q.shadows !== 'none';
    map.type = q.shadows === 'vsm' ? T.VSMShadowMap : T.PCFShadowMap;
    map.autoUpdate = false;
    this.castersDirty = true;
    this.resize(this.size.width, this.size.height);
  }

  resize(width: number, height: number): void {
    this.size = { width: Math.max(1, width), height: Math.max(1, height) };
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, this.quality.dpr));
    this.renderer.setSize(this.size.width, this.size.height, false);
    this.camera.aspect = this.size.width / this.size.height;
    this.camera.updateProjectionMatrix();
    this.wake();
  }

  /**
   * Redraws shadows if something that casts them has moved and a redraw is due; returns true while they are out of
   * date.
   */
  refreshShadows(time: number): boolean {
    if (!this.castersDirty || this.quality.shadows === 'none') return false;
    if (time - this.#shadowAt < 1000 / Math.max(1, this.quality.shadowHz)) return true;
    this.#shadowAt = time;
    this.castersDirty = false;
    this.renderer.shadowMap.needsUpdate = true;
    return false;
  }

  /** Lowers the quality by one step; returns false at the minimum. */
  lower(sun: T.DirectionalLight): boolean {
    const next = stepDown(this.quality);
    if (!next) return false;
    this.setQuality(next);
    sun.castShadow = next.shadows !== 'none';
    return true;
  }
}
