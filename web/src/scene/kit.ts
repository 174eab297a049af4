import * as T from 'three';
import type { SceneManifest, SceneObject } from '../contracts/protocol.gen.ts';
import { hash } from '../look/identity.ts';
import { paint } from '../look/palette.ts';
import { Batch, type Place, type Rgb, type Side, type Span } from './batch.ts';
import { Shapes } from './shapes.ts';
import { isFoliage, swayingKinds } from './sway.ts';
import { quad, type Shape } from './shape.ts';

/** Returns a pseudo-random number generator for [0, 1); the same seed draws the same room. */
export function random(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export type Finish = 'floor' | 'matte' | 'glossy' | 'emissive' | 'screen';
const finishes: readonly Finish[] = ['floor', 'matte', 'glossy', 'emissive', 'screen'];

/** One built piece of furniture: its object, its bounding box and its triangles. */
export interface Piece {
  object: SceneObject;
  box: T.Box3;
  spans: Record<Finish, Span[]>;
  /** The points of its screens and of its lamps, each as a range from the first point to one past the last. */
  screens: [number, number];
  lamps: [number, number];
}

/** The glow of a lamp. */
export interface Glow { pos: T.Vector3; size: number; side: Side; poi: string | undefined }

const white: Rgb = [1, 1, 1];

/** The height of a plant's soil, in metres; parts below it do not move. */
const soil = 0.1;

/** The number of tints that a kind can distinguish, including 0 for no tint. */
export const tintsPerPart = 8;
/** Returns the kind of a point in a batch: its part, and its tint, counted from 1; 0 means no tint. */
export const kindOf = (part: number, tint: number): number => part * tintsPerPart + tint;

/** Draws shapes with one finish; parameters are in the order size, paint, position. */
export class Pen {
  constructor(private readonly kit: Kit, readonly finish: Finish) {}

  add(shape: Shape, color: string, place: Place = {}): this { this.kit.put(this.finish, shape, color, place); return this; }

  /** Draws a box that stands at height y; b is the width of its chamfer. */
  box(w: number, h: number, d: number, color: string, x: number, y: number, z: number, b = 0.03, place: Place = {}): this {
    return this.add(this.kit.shape.box(w, h, d, b), color, { p: [x, y + h / 2, z], ...place });
  }

  /** Draws a cylinder or frustum that stands at height y; rt and rb are its radii at the top and the bottom. */
  cyl(rt: number, rb: number, h: number, color: string, x: number, y: number, z: number, b = 0.02, seg = 18, place: Place = {}): this {
    return this.add(this.kit.shape.cylinder(rt, rb, h, b, seg), color, { p: [x, y, z], ...place });
  }
}

/**
 * Collects the shapes that builders draw, each in the frame of its object. Builders never
 * touch the renderer, so the whole office can be built in a test, without WebGL.
 */
export class Kit {
  readonly shape: Shapes;
  readonly batches: Record<Finish, Batch> = { floor: new Batch(), matte: new Batch(), glossy: new Batch(), emissive: new Batch(), screen: new Batch() };
  readonly floor = new Pen(this, 'floor'); readonly m = new Pen(this, 'matte'); readonly g = new Pen(this, 'glossy'); readonly e = new Pen(this, 'emissive');
  readonly pieces: Piece[] = [];
  readonly glows: Glow[] = [];
  /** The positions of steaming cups. */
  readonly warm: T.Vector3[] = [];
  random: () => number = random(7);
  #frames: T.Matrix4[] = [new T.Matrix4()];
  #side: Side = 'room';
  #piece: Piece | null = null;
  /** The names of paints without a known colour, which are drawn in a plain sand colour. */
  readonly unknownPaints = new Set<string>();
  #colors = new Map<string, Rgb>();
  #screens = 0;
  /** The number of the part that is being drawn; see `kindOf`. */
  part = 0;

  /** Shapes shorter than this, in metres, are left out. */
  minLength = 0;

  /** The paints in `tints` stay white; the material that draws the batches sets their colours. */
  constructor(readonly manifest: SceneManifest, readonly fine: boolean, readonly tints: readonly string[] = []) { this.shape = new Shapes(fine); }

  get triangles(): number { return finishes.reduce((n, f) => n + this.batches[f].triangles, 0); }
  pick<A>(list: readonly A[]): A { return list[Math.floor(this.random() * list.length)]!; }

  /** Returns the colour of a paint in linear RGB: from the manifest, or else from our palette, or else plain sand. */
  color(name: string): Rgb {
    let rgb = this.#colors.get(name);
    if (!rgb) {
      const hex = this.manifest.palette[name] ?? paint[name];
      if (hex === undefined) this.unknownPaints.add(name);
      const c = new T.Color(hex ?? paint.unknown);
      this.#colors.set(name, rgb = [c.r, c.g, c.b]);
    }
    return rgb;
  }

  put(finish: Finish, shape: Shape, color: string, place: Place): void {
    if (shape.long < this.minLength) return;
    const tint = this.tints.indexOf(color) + 1, root = finish === 'matte' ? this.#rootOf(color) : undefined;
    this.batches[finish].add(shape, tint > 0 ? white : this.color(color), root === undefined ? place : { ...place, root }, this.#frame, this.#side, this.#piece?.box ?? null, kindOf(this.part, tint));
  }

  /** Returns the height above which a shape of this paint sways, or undefined if it does not. */
  #rootOf(paint: string): number | undefined {
    const object = this.#piece?.object;
    if (!isFoliage(paint) || (object && !swayingKinds.has(object.kind))) return undefined;
    return (object?.pos[1] ?? 0) + soil;
  }

  get #frame(): T.Matrix4 { return this.#frames[this.#frames.length - 1]!; }

  /** Calls draw with a frame moved to x, y, z, turned by ry and scaled. */
  at(x: number, y: number, z: number, ry: number, draw: () => void, scale = 1): void {
    const local = new T.Matrix4().compose(new T.Vector3(x, y, z), new T.Quaternion().setFromEuler(new T.Euler(0, ry, 0)), new T.Vector3(scale, scale, scale));
    this.#frames.push(this.#frame.clone().multiply(local));
    draw();
    this.#frames.pop();
  }

  /** Calls draw; the shapes that it draws are hidden together with the wall `side`. */
  on(side: Side, draw: () => void): void {
    const before = this.#side;
    this.#side = side;
    draw();
    this.#side = before;
  }

  /** Calls draw; the shapes that it draws are hidden together with the wall behind the current object. */
  hung(draw: () => void): void { this.on(this.#piece ? wallOf(this.manifest, this.#piece.object) : 'room', draw); }

  /** Draws a lit screen that faces +z. */
  screen(w: number, h: number, place: Place): void {
    const n = this.#screens++, u = n % 4, v = Math.floor(n / 4) % 2;
    this.put('screen', quad(w, h, (u + 0.01) / 4, (v + 0.99) / 2, (u + 0.99) / 4, (v + 0.01) / 2), 'white', { ao: 0, ...place });
  }

  glow(x: number, y: number, z: number, size: number): void {
    this.glows.push({ pos: new T.Vector3(x, y, z).applyMatrix4(this.#frame), size, side: this.#side, poi: this.#piece?.object.poi_id });
  }

  steam(x: number, y: number, z: number): void { this.warm.push(new T.Vector3(x, y, z).applyMatrix4(this.#frame)); }

  /** Builds one object of the manifest and records which triangles belong to it. */
  build(object: SceneObject, draw: () => void): void {
    const from = marks(this), screens = this.batches.screen.points, lamps = this.batches.emissive.points;
    const piece: Piece = { object, box: new T.Box3(), spans: { floor: [], matte: [], glossy: [], emissive: [], screen: [] }, screens: [screens, screens], lamps: [lamps, lamps] };
    this.#piece = piece;
    this.random = random(hash(object.object_id));
    const [x, y, z] = object.pos;
    this.at(x, y, z, object.rotation_y, draw, object.scale || 1);
    this.#piece = null;
    piece.screens[1] = this.batches.screen.points;
    piece.lamps[1] = this.batches.emissive.points;
    for (const { finish, side, at } of from) {
      const to = this.batches[finish].mark(side);
      if (to > at) piece.spans[finish].push({ side, from: at, to });
    }
    this.pieces.push(piece);
  }
}

const marks = (kit: Kit) => finishes.flatMap(finish => (['left', 'room', 'back'] as const).map(side => ({ finish, side, at: kit.batches[finish].mark(side) })));

/** An object within this distance of a wall, in metres, stands against or hangs on that wall. */
const reach = 0.35;

/** Returns the wall that an object stands against or hangs on, or 'room' if there is none. */
export function wallOf(manifest: SceneManifest, object: SceneObject): Side {
  const { w, d } = manifest.room;
  if (object.pos[2] + d / 2 < reach) return 'back';
  return object.pos[0] + w / 2 < reach ? 'left' : 'room';
}
