import * as T from 'three';
import type { Shape } from './shape.ts';
import type { Solid } from './volume.ts';

/** The wall with which an object is hidden; 'room' for objects that are never hidden. */
export type Side = 'left' | 'room' | 'back';
const sides: readonly Side[] = ['left', 'room', 'back'];

export interface Place {
  p?: readonly [number, number, number];
  r?: readonly [number, number, number];
  s?: readonly [number, number, number] | number;
  /** How much darker the bottom is than the top, 0 to 1. */
  ao?: number;
  /** Multiplies the colour: above 1 is brighter. */
  lift?: number;
  /**
   * The height in the room, in metres, where a plant begins: the higher a point is above it, the more the point sways.
   */
  root?: number;
  /** True if the shape casts no shadow, whatever its size. */
  shadeless?: boolean;
}

export type Rgb = readonly [number, number, number];
/** A range of positions in the index of one side. */
export interface Span { side: Side; from: number; to: number }

/** Reports whether a shape is large enough to cast a shadow; smaller shadows are invisible but cost time. */
const castsShadow = (s: Shape, scale: number): boolean => (s.long * scale > 0.16 && s.wide * scale > 0.1) || s.long * scale > 0.5;

const m = new T.Matrix4(), q = new T.Quaternion(), e = new T.Euler(), v = new T.Vector3(), s3 = new T.Vector3(), n3 = new T.Matrix3();

/**
 * Collects coloured shapes and bakes them into one buffer. The triangles of the left
 * wall come first and those of the back wall last, so that each wall can be hidden with
 * the draw range and needs no draw call of its own.
 */
export class Batch {
  #pos = new Float32Array(1 << 14); #nor = new Float32Array(1 << 14); #col = new Float32Array(1 << 14); #uv: number[] = [];
  #idx: Record<Side, number[]> = { left: [], room: [], back: [] };
  /** The index of the triangles that cast a shadow. */
  #cast: number[] = [];
  /** The kind of each point and how much it sways; null until a point has a kind or sways. */
  #kind: Float32Array<ArrayBuffer> | null = null;
  #sway: Float32Array<ArrayBuffer> | null = null;
  #n = 0;

  /** The number of points added so far. */
  get points(): number { return this.#n; }
  get triangles(): number { return sides.reduce((sum, s) => sum + this.#idx[s].length / 3, 0); }
  /** Returns the position in the side's index where the next triangle starts. */
  mark(side: Side): number { return this.#idx[side].length; }

  #reserve(points: number): void {
    const need = (this.#n + points) * 3;
    if (need <= this.#pos.length) return;
    const size = Math.max(need, this.#pos.length * 2);
    const grow = (a: Float32Array<ArrayBuffer>, to = size) => { const b = new Float32Array(to); b.set(a); return b; };
    this.#pos = grow(this.#pos); this.#nor = grow(this.#nor); this.#col = grow(this.#col);
    this.#kind &&= grow(this.#kind, Math.ceil(size / 3)); this.#sway &&= grow(this.#sway, Math.ceil(size / 3));
  }

  /**
   * Adds a shape with a colour and extends `bounds` to include it. A kind above 0 is stored with each point, for
   * shaders.
   */
  add(shape: Shape, rgb: Rgb, place: Place, frame: T.Matrix4, side: Side, bounds: T.Box3 | null, kind = 0): void {
    const { p = [0, 0, 0], r = [0, 0, 0], s = 1, ao = 0.16, lift = 1 } = place;
    if (typeof s === 'number') s3.set(s, s, s); else s3.set(s[0], s[1], s[2]);
    m.compose(v.set(p[0], p[1], p[2]), q.setFromEuler(e.set(r[0], r[1], r[2])), s3).premultiply(frame);
    const a = m.elements, b = n3.getNormalMatrix(m).elements, count = shape.pos.length / 3, base = this.#n, high = shape.y1 - shape.y0;
    this.#reserve(count);
    const P = shape.pos, N = shape.nor, pos = this.#pos, nor = this.#nor, col = this.#col;
    for (let i = 0, k = base * 3; i < count * 3; i += 3, k += 3) {
      const x = P[i]!, y = P[i + 1]!, z = P[i + 2]!;
      const X = a[0]! * x + a[4]! * y + a[8]! * z + a[12]!, Y = a[1]! * x + a[5]! * y + a[9]! * z + a[13]!, Z = a[2]! * x + a[6]! * y + a[10]! * z + a[14]!;
      pos[k] = X; pos[k + 1] = Y; pos[k + 2] = Z;
      if (place.root !== undefined) (this.#sway ??= new Float32Array(Math.ceil(pos.length / 3)))[k / 3] = Math.max(0, Y - place.root);
      if (bounds) bounds.expandByPoint(v.set(X, Y, Z));
      const nx = N[i]!, ny = N[i + 1]!, nz = N[i + 2]!;
      const ox = b[0]! * nx + b[3]! * ny + b[6]! * nz, oy = b[1]! * nx + b[4]! * ny + b[7]! * nz, oz = b[2]! * nx + b[5]! * ny + b[8]! * nz, l = Math.hypot(ox, oy, oz) || 1;
      nor[k] = ox / l; nor[k + 1] = oy / l; nor[k + 2] = oz / l;
      const t = high > 0 ? 1 - (y - shape.y0) / high : 0, shade = lift * (1 - ao * t * t);
      col[k] = rgb[0] * shade; col[k + 1] = rgb[1] * shade; col[k + 2] = rgb[2] * shade;
    }
    if (shape.uv) { this.#uv.length = base * 2; for (const u of shape.uv) this.#uv.push(u); }
    this.#n += count;
    if (kind > 0) (this.#kind ??= new Float32Array(Math.ceil(pos.length / 3))).fill(kind, base, this.#n);
    const out = this.#idx[side], mirrored = m.determinant() < 0, from = out.length;
    for (let i = 0; i < shape.idx.length; i += 3) out.push(base + shape.idx[i]!, base + shape.idx[i + (mirrored ? 2 : 1)]!, base + shape.idx[i + (mirrored ? 1 : 2)]!);
    if (!place.shadeless && castsShadow(shape, m.getMaxScaleOnAxis())) for (let i = from; i < out.length; i++) this.#cast.push(out[i]!);
  }

  /**
   * Returns the baked buffer; call it once, after everything has been added. With `shadows`, the triangles that cast
   * shadows come after all others, outside the visible draw range.
   */
  geometry(shadows = false): T.BufferGeometry {
    const g = new T.BufferGeometry(), cut = (a: Float32Array, size = 3) => new T.BufferAttribute(a.slice(0, this.#n * size), size);
    g.setAttribute('position', cut(this.#pos));
    g.setAttribute('normal', cut(this.#nor));
    g.setAttribute('color', cut(this.#col));
    if (this.#kind) g.setAttribute('kind', cut(this.#kind, 1));
    if (this.#sway) g.setAttribute('sway', cut(this.#sway, 1));
    if (this.#uv.length > 0) g.setAttribute('uv', new T.Float32BufferAttribute(this.#uv, 2));
    const all = new (this.#n > 65535 ? Uint32Array : Uint16Array)(this.triangles * 3 + (shadows ? this.#cast.length : 0));
    let at = 0;
    for (const s of sides) { all.set(this.#idx[s], at); at += this.#idx[s].length; }
    if (shadows) all.set(this.#cast, at);
    g.setIndex(new T.BufferAttribute(all, 1));
    return g;
  }

  /** Returns all points, and the triangles (of all sides) whose kind `keeps` accepts. */
  solid(keeps: (kind: number) => boolean = () => true): Solid {
    const index = sides.flatMap(s => this.#idx[s]).filter(i => keeps(this.#kind?.[i] ?? 0));
    return { position: this.#pos.subarray(0, this.#n * 3), index };
  }

  /** Returns the draw range that leaves out the hidden walls. */
  range(hidden: { left: boolean; back: boolean }): { start: number; count: number } {
    const start = hidden.left ? this.#idx.left.length : 0;
    return { start, count: this.triangles * 3 - start - (hidden.back ? this.#idx.back.length : 0) };
  }

  /** Returns the draw range for shadows: all walls block the sun, visible or not. */
  castRange(): { start: number; count: number } { return { start: this.triangles * 3, count: this.#cast.length }; }

  /** Returns the triangles of the given ranges as an index. */
  pick(spans: readonly Span[]): number[] { return spans.flatMap(sp => this.#idx[sp.side].slice(sp.from, sp.to)); }
}
