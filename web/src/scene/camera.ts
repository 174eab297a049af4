import type { PerspectiveCamera } from 'three';
import type { SceneCamera, Vec3 } from '../contracts/protocol.gen.ts';
import type { Frame } from './fit.ts';

/**
 * A camera position: the camera looks at the target x, y, z from a distance; angles are in degrees. The target
 * is drawn left of and above the middle by `aside` and `rise`, as fractions of the picture's width and height.
 */
export interface View { x: number; y: number; z: number; distance: number; azimuth: number; elevation: number; aside: number; rise: number }

export const zoomLimit = { near: 12, far: 70 } as const;
export const orbitStep = 45;
const damping = 9;
/** Beyond this share of the overview's distance, the camera counts as showing everything, not a single place. */
const overviewFrom = 0.7;
/**
 * How far the target may be from the overview's target before the view is a close-up, in metres. Rotating the camera
 * moves the target by less than this.
 */
const offCentre = 3;
/** The sine of the angle by which the camera must be behind a wall before the wall is hidden. */
const behind = 0.2;

const clamp = (v: number, a: number, b: number): number => Math.min(b, Math.max(a, v));
const rad = (deg: number): number => (deg * Math.PI) / 180;

/** The rectangle that the camera's target stays in: its centre (x, z) and its size, in metres. */
export interface Area { x: number; z: number; w: number; d: number }

/** Returns the angle equivalent to `to` that is nearest to `from`. */
export const nearestTurn = (from: number, to: number): number => to + 360 * Math.round((from - to) / 360);

/**
 * The camera of the room. Input moves the goal, and in every frame the view glides towards
 * the goal. The rig uses neither a screen nor a clock, so it can be tested.
 */
export class CameraRig {
  readonly view: View;
  readonly goal: View;
  #area: Area;
  #overview: View;
  #far: number = zoomLimit.far;
  #fitted = false;

  constructor(overview: SceneCamera, room: { w: number; d: number }, readonly fov: number) {
    const [x, y, z] = overview.target;
    this.#overview = { x, y, z, distance: overview.distance, azimuth: overview.azimuth, elevation: overview.elevation, aside: 0, rise: 0 };
    this.view = { ...this.#overview };
    this.goal = { ...this.#overview };
    this.#area = { x: 0, z: 0, w: room.w, d: room.d };
  }

  /**
   * Replaces the overview and the area when the campus has grown. A camera in the overview glides to the new
   * overview.
   */
  setOverview({ target: [x, y, z], azimuth, elevation }: SceneCamera, area: Area): void {
    const home = !this.near;
    this.#area = area;
    this.#overview = { ...this.#overview, x, y, z, azimuth, elevation };
    if (home) this.home();
  }

  /** Moves to the view that a frame was computed for. */
  show({ target: [x, y, z], azimuth, elevation }: SceneCamera, frame: Frame): void {
    this.#set({ ...this.goal, ...frame, x, y, z, elevation, azimuth: nearestTurn(this.goal.azimuth, azimuth) });
  }

  /**
   * Sets a new frame and a new elevation for the overview. The camera jumps to the first frame and glides to later
   * ones, unless the user has zoomed.
   */
  fit({ distance, aside, rise }: Frame, elevation = this.#overview.elevation): void {
    const home = this.goal.distance === this.#overview.distance;
    this.shift({ aside, rise });
    this.#overview = { ...this.#overview, distance, aside, rise, elevation };
    this.#far = Math.max(zoomLimit.far, distance);
    if (!this.#fitted || home) Object.assign(this.goal, { distance, elevation });
    if (!this.#fitted) Object.assign(this.view, { distance, aside, rise });
    this.#fitted = true;
  }

  /** Moves the target away from the middle of the picture, by fractions of its width and height. */
  shift({ aside, rise }: Pick<Frame, 'aside' | 'rise'>): void { Object.assign(this.goal, { aside, rise }); }

  /** True if the camera shows only part of the room: it is closer than in the overview, or looks elsewhere. */
  get near(): boolean { return this.goal.distance < this.#overview.distance * 0.95 || Math.hypot(this.goal.x - this.#overview.x, this.goal.z - this.#overview.z) > offCentre; }

  /** True if the camera is nearly as far away as in the overview, or farther. */
  get far(): boolean { return this.goal.distance > this.#overview.distance * overviewFrom; }

  home(): void { this.#set({ ...this.#overview, azimuth: nearestTurn(this.goal.azimuth, this.#overview.azimuth) }); }

  /** Moves to a camera position from the manifest. */
  frame(camera: SceneCamera): void {
    const [x, y, z] = camera.target;
    this.#set({ ...this.goal, x, y, z, distance: camera.distance, azimuth: nearestTurn(this.goal.azimuth, camera.azimuth), elevation: camera.elevation });
  }

  /** Looks at a point from the current angle and the given distance. */
  lookAt(pos: Vec3, distance = this.goal.distance): void { this.#set({ ...this.goal, x: pos[0], y: 0.75, z: pos[2], distance }); }

  /** Moves the target by a distance in metres. */
  moveTarget(dx: number, dz: number): void { this.#set({ ...this.goal, x: this.goal.x + dx, z: this.goal.z + dz }); }

  /** Rotates the camera in steps of 45°: around the target or, in the overview, around the area. */
  orbit(steps: number): void {
    const to = (Math.round(this.goal.azimuth / orbitStep) + steps) * orbitStep, a = rad(to - this.goal.azimuth), { x: cx, z: cz } = this.#area, x = this.goal.x - cx, z = this.goal.z - cz;
    const turned = this.far ? { x: cx + x * Math.cos(a) + z * Math.sin(a), z: cz + z * Math.cos(a) - x * Math.sin(a) } : {};
    this.#set({ ...this.goal, ...turned, azimuth: to });
  }

  /** Multiplies the distance by `factor`; the point `at`, at the target's height, stays in place on the screen. */
  zoom(factor: number, at?: readonly [number, number]): void {
    const before = this.goal.distance, distance = clamp(before * factor, zoomLimit.near, this.#far), k = distance / before;
    const [px, pz] = at ?? [this.goal.x, this.goal.z];
    this.#set({ ...this.goal, distance, x: px + (this.goal.x - px) * k, z: pz + (this.goal.z - pz) * k });
  }

  /** Moves the floor by a distance in pixels, without gliding, so that the floor follows the pointer without delay. */
  pan(dx: number, dy: number, height: number): void {
    const metres = (2 * this.view.distance * Math.tan(rad(this.fov) / 2)) / Math.max(1, height), a = rad(this.view.azimuth), steep = Math.sin(rad(this.view.elevation));
    const mx = (dx * Math.cos(a) + (dy / steep) * Math.sin(a)) * metres, mz = (-dx * Math.sin(a) + (dy / steep) * Math.cos(a)) * metres;
    const { x, z } = this.goal;
    this.#set({ ...this.goal, x: x - mx, z: z - mz });
    this.view.x += this.goal.x - x;
    this.view.z += this.goal.z - z;
  }

  #set(v: View): void {
    const { x, z, w, d } = this.#area;
    Object.assign(this.goal, v, { x: clamp(v.x, x - w / 2, x + w / 2), z: clamp(v.z, z - d / 2, z + d / 2), distance: clamp(v.distance, zoomLimit.near, this.#far), elevation: clamp(v.elevation, 15, 80) });
  }

  /** Glides towards the goal, or jumps there if `still`; returns true while the camera moves. */
  step(dt: number, still: boolean): boolean {
    const k = still ? 1 : 1 - Math.exp(-damping * dt);
    let far = 0;
    for (const key of ['x', 'y', 'z', 'distance', 'azimuth', 'elevation', 'aside', 'rise'] as const) {
      const gap = this.goal[key] - this.view[key];
      far = Math.max(far, Math.abs(gap));
      this.view[key] = Math.abs(gap) < (key === 'aside' || key === 'rise' ? 0.0004 : 0.004) ? this.goal[key] : this.view[key] + gap * k;
    }
    return far > 0 && !still;
  }

  /** Returns the position of the camera. */
  eye(): Vec3 {
    const { x, y, z, distance, azimuth, elevation } = this.view, a = rad(azimuth), e = rad(elevation);
    return [x + distance * Math.sin(a) * Math.cos(e), y + distance * Math.sin(e), z + distance * Math.cos(a) * Math.cos(e)];
  }

  apply(camera: PerspectiveCamera): void {
    camera.position.set(...this.eye());
    camera.lookAt(this.view.x, this.view.y, this.view.z);
    const { aspect } = camera;
    const { aside, rise } = this.view;
    if (aside === 0 && rise === 0) camera.clearViewOffset();
    else camera.setViewOffset(aspect, 1, aspect * aside, rise, aspect, 1);
    camera.updateMatrixWorld();
  }

  /** Reports for each wall whether it is between the camera and the room. */
  hidden(): { back: boolean; left: boolean } {
    const a = rad(this.view.azimuth);
    return { back: Math.cos(a) < -behind, left: Math.sin(a) < -behind };
  }
}
