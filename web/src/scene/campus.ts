import * as T from 'three';
import type { SceneCamera, Vec3 } from '../contracts/protocol.gen.ts';
import type { Placed, Rect } from '../world/campus.ts';
import type { ZoomLevel } from '../world/focus.ts';
import type { Area, CameraRig } from './camera.ts';
import { Strips } from './campus_strips.ts';
import type { RoomDeps } from './deps.ts';
import { cornersOf, type Shown } from './fit.ts';
import { createGarden, type Garden } from './garden.ts';
import { buildGround } from './ground.ts';
import { createGround, GroundMaterials, type GroundLayer } from './ground_layer.ts';
import { bakeLampMap, type LitRoom } from './lampmap.ts';
import { lampsOf } from './lamps.ts';
import type { Layer } from './layer.ts';
import type { LightLayer } from './light.ts';
import { metresPerPixel } from './people_pick.ts';
import type { ScreenPicture } from './screen_picture.ts';
import { Signs } from './sign.ts';
import { finish, inSlices } from './slices.ts';
import type { RoomStage } from './stage.ts';
import { Studios } from './studios.ts';

/** At this many pixels per metre or more, studios are drawn in full detail and people's names are shown. */
const studioFrom = 45;
/** At this many pixels per metre or more, the camera shows a person. */
const personFrom = 120;
/** The minimum distance of a camera that shows a whole studio, in metres. */
const studioDistance = 20;
/** The overview's minimum distance, as a share of the house camera's distance scaled to the campus's size. */
const closest = 0.6;
/**
 * The overview in a tall picture, as on a phone: the ratio of height to width from which it applies, its elevation in
 * degrees, and the share of the campus's width that it shows. Showing the whole width would shrink the campus to a
 * narrow strip.
 */
const tall = { from: 1.25, elevation: 50, across: 0.62 } as const;
/** How far the camera sees, in metres, with and without a campus. */
const sight = { campus: 640, house: 320 } as const;
/** How far the slab below the campus reaches beyond the lawn, and how deep it is, in metres. */
const ledge = 0.25;
const slab = 0.97;
/** The height of a sign above its wall, in metres. */
const signHeight = 1.1;

/** Draws the studios and the ground around the house. */
export interface Campus extends Layer {
  /** The number of studios. */
  readonly studios: number;
  /** True once the garden and all studios are shaded. */
  readonly shaded: boolean;
  /** Shows the given rooms as soon as everything that they need is built. */
  set(placed: readonly Placed[]): void;
  setScreen(poiId: string, picture: ScreenPicture): void;
  outline(poiId: string | null): void;
  /** Returns the view of the whole campus, and the area that the camera's target stays within. */
  overview(): { shown: Shown; area: Area };
  /** Returns the view of a room from the given angle, or null if there is no such room. */
  view(id: string, azimuth: number): Shown | null;
  /** Updates the stage and the focus: how far the camera is zoomed out, and which room it shows. */
  updateFocus(rig: CameraRig): void;
}

/** The parts of the room that a campus uses, and a callback for when rooms are shown. */
export interface CampusSite {
  stage: RoomStage;
  light: LightLayer;
  labels: HTMLElement;
  deps: RoomDeps;
  shown(): void;
}

export function createCampus(site: CampusSite, placed: readonly Placed[]): Campus {
  return new CampusLayer(site, placed);
}

class CampusLayer implements Campus {
  readonly group = new T.Group();
  readonly #studios: Studios;
  readonly #strips: Strips;
  readonly #garden: Garden;
  #ground: GroundLayer | null = null;
  readonly #signs: Signs;
  readonly #earth: GroundMaterials;
  readonly stage: RoomStage;
  readonly light: LightLayer;
  readonly deps: RoomDeps;
  /** The rooms that are shown. */
  #placed: readonly Placed[] = [];
  /** The rooms to show next. */
  #wanted: readonly Placed[] = [];
  #stop: (() => void) | null = null;
  #shadowArea = { x: 0, z: 0, reach: 0 };
  readonly #frustum = new T.Frustum();
  readonly #matrix = new T.Matrix4();
  readonly #sphere = new T.Sphere();

  constructor(readonly site: CampusSite, placed: readonly Placed[]) {
    const { stage, light, labels, deps } = site;
    [this.stage, this.light, this.deps] = [stage, light, deps];
    this.#studios = new Studios(stage, placed.find(p => p.room)!.manifest, light.beam);
    this.#strips = new Strips(stage, labels, deps);
    this.#earth = new GroundMaterials(stage);
    this.#signs = new Signs(stage);
    this.#garden = createGarden(stage, placed.find(p => p.id === 'garden')!);
    this.group.add(this.#studios.group, this.#garden.group, this.#signs.mesh);
    this.#see(sight.campus);
    light.setBakedLamps(true);
    this.set(placed);
  }

  get studios(): number { return this.#placed.filter(p => p.room).length; }
  get shaded(): boolean { return this.#studios.shaded && this.#garden.shaded; }

  set(placed: readonly Placed[]): void {
    this.#wanted = placed;
    // The first ground is drawn together with the first studio.
    if (!this.#ground || this.stage.quality.tier === 'test') finish(this.#prepare(placed))();
    else if (!this.#stop) this.#grow(placed);
  }

  /** Prepares rooms between frames and then shows them; repeats this if the wanted rooms have changed by then. */
  #grow(placed: readonly Placed[]): void {
    this.#stop = inSlices(this.#prepare(placed), show => {
      this.#stop = null;
      show();
      if (this.#wanted !== placed) this.#grow(this.#wanted);
    });
  }

  /**
   * Builds everything that rooms need and yields after each part, so that no frame waits for all parts. The returned
   * function shows the rooms; until it is called, none of the new parts is in the scene or on the graphics card.
   */
  *#prepare(placed: readonly Placed[]): Generator<unknown, () => void> {
    const { stage } = this, rooms = placed.filter(p => p.room);
    const ground = this.#ground && samePlots(placed, this.#placed) ? this.#ground : yield* createGround(stage, this.#earth, yield* buildGround(placed, stage.quality.fine), placed);
    const useSigns = yield* this.#signs.prepare(placed.filter(p => p.id !== 'garden'));
    const fittings = yield* this.#studios.buildFittings(rooms);
    const useLamps = yield* bakeLampMap(stage.lamps, areaOf(ground.strips), placed.map(p => this.#lit(p)));
    yield;
    return () => {
      if (ground !== this.#ground) {
        this.#clear();
        this.#ground = ground;
        this.group.add(ground.group);
        this.#shadowArea.reach = 0;
      }
      this.#placed = placed;
      useSigns();
      this.#studios.set(rooms, fittings);
      this.#strips.set(placed);
      useLamps();
      stage.walkable = (x, z) => ground.strips.some(s => x > s.x0 && x < s.x1 && z > s.z0 && z < s.z1);
      stage.castersMoved();
      this.site.shown();
    };
  }

  /** Returns a room with its lamps; for the house, only the lamps that its manifest lists. */
  #lit({ id, room, manifest, x, z }: Placed): LitRoom {
    const glows = id === 'garden' ? this.#garden.glows : room ? this.#studios.glows : [];
    return { room: manifest.room, walls: id !== 'garden', lamps: lampsOf(manifest.lighting.night.lamps, glows), x, z };
  }

  setScreen(poiId: string, picture: ScreenPicture): void { this.#studios.setScreen(poiId, picture); }
  outline(poiId: string | null): void { this.#studios.outline(poiId); }

  overview(): { shown: Shown; area: Area } {
    const { ambience: { camera, fov }, room } = this.#placed[0]!.manifest, { width, height } = this.stage.size, isTall = height > width * tall.from, box = this.#box(), x = (box.min.x + box.max.x) / 2, z = (box.min.z + box.max.z) / 2;
    const larger = Math.hypot(box.max.x - box.min.x, box.max.z - box.min.z) / Math.hypot(room.w, room.d);
    const corners = this.#ground!.strips.flatMap((s): Vec3[] => [s.x0 - ledge, s.x1 + ledge].flatMap(cx => [s.z0 - ledge, s.z1 + ledge].map((cz): Vec3 => [cx, -slab, cz])));
    for (const p of this.#placed) if (p.id !== 'garden') corners.push(...wallCorners(p));
    return {
      shown: { camera: { ...camera, ...(isTall && { elevation: tall.elevation }), target: [x, 0.75, z], distance: camera.distance * larger * closest }, fov, room, corners, across: isTall ? tall.across : 1 },
      area: { x, z, w: box.max.x - box.min.x, d: box.max.z - box.min.z },
    };
  }

  view(id: string, azimuth: number): Shown | null {
    const p = this.#placed.find(q => q.id === id);
    if (!p) return null;
    const { ambience, room } = p.manifest, camera: SceneCamera = { ...ambience.camera, target: [p.x, 0.75, p.z], azimuth, distance: studioDistance };
    return { camera, fov: ambience.fov, room, corners: [...cornersOf(room, p.x, p.z), ...wallCorners(p)] };
  }

  updateFocus(rig: CameraRig): void {
    const { stage, deps: { focus, settings } } = this, { x, z, distance } = rig.goal, zoomLevel = zoomLevelOf(1 / metresPerPixel(stage.camera, stage.size.height, distance), rig.far);
    const away = (p: Placed) => Math.max(Math.abs(p.x - x) / p.manifest.room.w, Math.abs(p.z - z) / p.manifest.room.d);
    stage.distant = zoomLevel === 'campus';
    focus.zoomLevel.value = zoomLevel;
    focus.room.value = zoomLevel === 'campus' ? null : this.#placed.reduce((a, b) => (away(b) < away(a) ? b : a)).id;
    settings.room.value = focus.room.value ?? 'campus';
  }

  update(now: number, dt: number): boolean {
    const { camera, size } = this.stage, near: Placed[] = [], far: Placed[] = [];
    this.#frustum.setFromProjectionMatrix(this.#matrix.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse));
    for (const p of this.#placed) {
      const { w, d, h } = p.manifest.room;
      this.#sphere.set(this.#sphere.center.set(p.x, h / 2, p.z), Math.hypot(w, d, h) / 2 + 0.6);
      if (!p.room || !this.#frustum.intersectsSphere(this.#sphere)) continue;
      const close = this.stage.quality.fine && 1 / metresPerPixel(camera, size.height, camera.position.distanceTo(this.#sphere.center)) > studioFrom;
      (close ? near : far).push(p);
    }
    this.#studios.detail(near, far);
    const fading = [this.#studios.update(dt), this.#garden.update(now, dt)];
    this.#signs.update();
    this.#updateShadowArea();
    this.#strips.update();
    return fading.includes(true);
  }

  pick(ray: T.Raycaster) { return [...this.#studios.pick(ray), ...this.#garden.pick!(ray)]; }

  dispose(): void {
    this.#stop?.();
    this.#clear();
    this.#earth.dispose();
    this.#signs.dispose();
    this.#garden.dispose();
    this.#studios.dispose();
    this.#strips.dispose();
    this.light.setShadowArea(null);
    this.light.setBakedLamps(false);
    this.#see(sight.house);
    this.stage.walkable = this.stage.inHouse;
  }

  #see(far: number): void {
    this.stage.camera.far = far;
    this.stage.camera.updateProjectionMatrix();
  }

  #clear(): void {
    this.#ground?.group.removeFromParent();
    this.#ground?.dispose();
  }

  #box(): T.Box3 {
    const { x0, x1, z0, z1 } = areaOf(this.#ground!.strips);
    return new T.Box3(new T.Vector3(x0, 0, z0), new T.Vector3(x1, 0, z1));
  }

  /** Casts shadows where the camera looks: everywhere if it is far away, otherwise around its target. */
  #updateShadowArea(): void {
    const { camera, size } = this.stage, middle = this.#box().getCenter(new T.Vector3()), all = this.#box().getSize(new T.Vector3()).length() / 2;
    const dir = camera.getWorldDirection(new T.Vector3()), distance = camera.position.y / -dir.y, at = camera.position.clone().addScaledVector(dir, distance);
    const wanted = metresPerPixel(camera, size.height, distance) * Math.max(size.width, size.height * 1.6) * 0.62;
    const next = wanted > all * 0.8 ? { x: middle.x, z: middle.z, reach: all } : { x: at.x, z: at.z, reach: Math.max(6.7, wanted) };
    const c = this.#shadowArea, moved = Math.hypot(next.x - c.x, next.z - c.z);
    if (moved < next.reach * 0.2 && next.reach < c.reach * 1.15 && next.reach > c.reach * 0.7) return;
    this.#shadowArea = next;
    this.light.setShadowArea(next);
  }
}

/** Returns the rectangle around strips of ground. */
function areaOf(strips: readonly Rect[]): Rect {
  const of = (key: keyof Rect) => strips.map(s => s[key]);
  return { x0: Math.min(...of('x0')), x1: Math.max(...of('x1')), z0: Math.min(...of('z0')), z1: Math.max(...of('z1')) };
}

/** Reports whether two lists of rooms occupy the same plots, so that the ground below them is the same. */
function samePlots(a: readonly Placed[], b: readonly Placed[]): boolean {
  return a.length === b.length && a.every((p, i) => p.plot.join() === b[i]!.plot.join());
}

/** Returns the corners of a room's walls and of its sign. */
function wallCorners({ manifest: { room }, x, z }: Placed): Vec3[] {
  const { w, d, h } = room;
  const sign = [-3.2, 2].map((along): Vec3 => [x + along, h + signHeight, z - d / 2]);
  return [[x - w / 2, h, z - d / 2], ...sign, [x + w / 2, h, z - d / 2], [x - w / 2, h, z + d / 2]];
}

/** Returns the zoom level for a scale; `far` is true if the camera is about as far away as in the overview. */
export function zoomLevelOf(pixelsPerMetre: number, far: boolean): ZoomLevel {
  if (far && pixelsPerMetre < studioFrom) return 'campus';
  return pixelsPerMetre < personFrom ? 'studio' : 'person';
}
