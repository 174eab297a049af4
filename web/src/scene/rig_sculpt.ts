import { BufferGeometry, CapsuleGeometry, Euler, Float32BufferAttribute, Matrix3, Matrix4, Quaternion, SphereGeometry, TorusGeometry, Vector3 } from 'three';
import { bevelBox, geometryOf, revolve, type Row } from './shape.ts';

/** The limb that a vertex moves with. */
export const Part = { body: 0, head: 1, armLeft: 2, armRight: 3, legLeft: 4, legRight: 5 } as const;
export type Part = (typeof Part)[keyof typeof Part];

/** The colour slot of a vertex. */
export const Slot = { skin: 0, hair: 1, top: 2, trousers: 3, dark: 4, white: 5, blush: 6, box: 7, gold: 8, red: 9, tape: 10, badge: 11, eye: 12, glint: 13 } as const;
export type Slot = (typeof Slot)[keyof typeof Slot];

type Triple = readonly [number, number, number];

/** The placement of a piece; shade darkens its lower end. */
export interface Piece { at: Triple; turn?: Triple; size?: Triple | number; shade?: number }

/** Collects small pieces into one geometry; each vertex has a limb and a colour slot. */
export class Sculpt {
  readonly #pos: number[] = [];
  readonly #nor: number[] = [];
  readonly #rig: number[] = [];
  readonly #idx: number[] = [];

  /** The length of the index so far. */
  get length(): number { return this.#idx.length; }

  add(g: BufferGeometry, part: Part, slot: Slot, piece: Piece): this {
    const s = piece.size ?? 1;
    const size = typeof s === 'number' ? new Vector3(s, s, s) : new Vector3(...s);
    const turn = new Quaternion().setFromEuler(new Euler(...(piece.turn ?? [0, 0, 0])));
    const m = new Matrix4().compose(new Vector3(...piece.at), turn, size);
    const normals = new Matrix3().getNormalMatrix(m);
    const P = g.getAttribute('position'), N = g.getAttribute('normal');
    const base = this.#pos.length / 3, v = new Vector3(), shade = piece.shade ?? 0.12;
    g.computeBoundingBox();
    const low = g.boundingBox!.min.y, tall = g.boundingBox!.max.y - low || 1;
    for (let i = 0; i < P.count; i++) {
      v.fromBufferAttribute(P, i);
      const t = (v.y - low) / tall;
      v.applyMatrix4(m);
      this.#pos.push(v.x, v.y, v.z);
      v.fromBufferAttribute(N, i).applyMatrix3(normals).normalize();
      this.#nor.push(v.x, v.y, v.z);
      this.#rig.push(part, slot, 1 - shade * (1 - t));
    }
    if (g.index) for (let i = 0; i < g.index.count; i++) this.#idx.push(base + g.index.getX(i));
    else for (let i = 0; i < P.count; i++) this.#idx.push(base + i);
    g.dispose();
    return this;
  }

  geometry(): BufferGeometry {
    const g = new BufferGeometry();
    g.setAttribute('position', new Float32BufferAttribute(this.#pos, 3));
    g.setAttribute('normal', new Float32BufferAttribute(this.#nor, 3));
    g.setAttribute('aRig', new Float32BufferAttribute(this.#rig, 3));
    g.setIndex(this.#idx);
    return g;
  }
}

/** Joins sculpted geometries into one, such as a whole person for the outline. */
export function sculptJoin(parts: readonly BufferGeometry[]): BufferGeometry {
  const out = new BufferGeometry(), idx: number[] = [];
  let base = 0;
  for (const p of parts) {
    for (let i = 0; i < p.index!.count; i++) idx.push(base + p.index!.getX(i));
    base += p.getAttribute('position').count;
  }
  for (const name of ['position', 'normal', 'aRig']) {
    const all = parts.flatMap(p => Array.from(p.getAttribute(name).array));
    out.setAttribute(name, new Float32BufferAttribute(all, 3));
  }
  out.setIndex(idx);
  return out;
}

export function triangles(g: BufferGeometry): number {
  return (g.index ? g.index.count : g.getAttribute('position').count) / 3;
}

export const ball = (r: number, around: number, down: number) => new SphereGeometry(r, around, down);
export const dome = (r: number, around: number, down: number, open = Math.PI / 2) => new SphereGeometry(r, around, down, 0, Math.PI * 2, 0, open);
export const ring = (r: number, thick: number, sides: number, around: number, arc = Math.PI * 2) => new TorusGeometry(r, thick, sides, around, arc);
/** Returns a limb with enough rows to bend in the middle. */
export const limb = (r: number, long: number, around: number) => new CapsuleGeometry(r, long, 2, around, 2);
/** Returns a box with rounded edges. */
export const soft = (w: number, h: number, d: number, edge: number) => geometryOf(bevelBox(w, h, d, edge));
export const turned = (rows: readonly Row[], around: number) => geometryOf(revolve(rows, around));
